/** What Feishu tells about the app itself; several checks read it, and it is asked for once. */
import { z } from 'zod'
import type { Api } from '../api/client.ts'

const answerSchema = z.looseObject({
  data: z.looseObject({
    app: z.looseObject({
      online_version_id: z.string().nullish(),
      callback_info: z
        .looseObject({
          callback_type: z.string().nullish(),
          subscribed_callbacks: z.array(z.string()).nullish(),
        })
        .nullish(),
    }),
  }),
})

export interface Application {
  /** Id of the published version, undefined when there is none. */
  readonly onlineVersion: string | undefined
  /** Where clicks go, and which; undefined where Feishu does not tell, as of older apps. */
  readonly callbacks:
    | { readonly transport: string | undefined; readonly subscribed: readonly string[] }
    | undefined
}

/** Reads the application when it is first asked for; a failure is told to everybody who asks. */
export function createApplicationReader(api: Api): (signal: AbortSignal) => Promise<Application> {
  let reading: Promise<Application> | undefined
  return (signal) => {
    reading ??= readApplication(api, signal)
    return reading
  }
}

async function readApplication(api: Api, signal: AbortSignal): Promise<Application> {
  const { data } = await api.json(
    {
      api: 'application.get',
      method: 'GET',
      path: '/open-apis/application/v6/applications/me',
      query: { lang: 'zh_cn' },
      signal,
    },
    answerSchema,
  )
  const { online_version_id: version, callback_info: info } = data.app
  const subscribed = info?.subscribed_callbacks
  return {
    onlineVersion: version || undefined,
    callbacks: subscribed ? { transport: info.callback_type || undefined, subscribed } : undefined,
  }
}
