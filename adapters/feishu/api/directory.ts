import { z } from 'zod'
import type { Api } from './client.ts'

const botSchema = z.looseObject({
  bot: z.looseObject({
    open_id: z.string().min(1),
    app_name: z.string().default(''),
    activate_status: z.number().default(2),
  }),
})

/** The bot as Feishu describes it. */
export interface BotInfo {
  readonly openId: string
  readonly name: string
  /** 2 is in use; see the doctor for the others. */
  readonly activateStatus: number
}

/** Who we are. `bot` stands beside `code`, not under `data`. */
export async function getBot(api: Api, signal?: AbortSignal): Promise<BotInfo> {
  const { bot } = await api.json(
    { api: 'bot.info', method: 'GET', path: '/open-apis/bot/v3/info', signal },
    botSchema,
  )
  return { openId: bot.open_id, name: bot.app_name, activateStatus: bot.activate_status }
}

const namesSchema = z.looseObject({
  data: z.looseObject({
    users: z.array(z.looseObject({ user_id: z.string(), name: z.string().nullish() })).nullish(),
  }),
})

/** Names of at most ten people by open_id; people that cannot be seen are left out. */
export async function getNames(
  api: Api,
  openIds: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  if (openIds.length === 0) return new Map()
  const answer = await api.json(
    {
      api: 'contact.user.basic_batch',
      method: 'POST',
      path: '/open-apis/contact/v3/users/basic_batch',
      query: { user_id_type: 'open_id' },
      json: { user_ids: openIds.slice(0, 10) },
      signal,
    },
    namesSchema,
  )
  return new Map((answer.data.users ?? []).flatMap((user) => (user.name ? [[user.user_id, user.name]] : [])))
}
