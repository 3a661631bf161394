/** WeCom's server API as one self-built app sees it: every call with a token, renewed once when refused. */
import type { CallScheduler } from '../../src/protocol/adapter.ts'
import type { Clock } from '../../src/protocol/ports.ts'
import type { AppConfig } from './config.ts'
import { callApi } from './http.ts'
import { createTokenSource, type TokenSource } from './token.ts'

export interface AppApi {
  readonly tokens: TokenSource
  readonly config: AppConfig
  /** POSTs JSON to `/cgi-bin/<path>`. */
  post(path: string, body: unknown, options: PostOptions): Promise<unknown>
  /** GETs `/cgi-bin/<path>`; always repeatable. */
  read(path: string, query: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<unknown>
  /** POSTs a prepared multipart body to `/cgi-bin/<path>`. */
  upload(
    path: string,
    query: Readonly<Record<string, string>>,
    raw: { body: Buffer; contentType: string },
    signal?: AbortSignal,
  ): Promise<unknown>
  /** The URL of a binary GET, token included: never to be logged. */
  url(path: string, query: Readonly<Record<string, string>>, token: string): string
}

interface PostOptions {
  readonly repeatable: boolean
  readonly signal?: AbortSignal | undefined
}

/** WeCom's base limit is 10,000 a minute per API (doc 90312); reads stay far below it. */
const READS_PER_MINUTE = 600

export function createAppApi(config: AppConfig, deps: { clock: Clock; scheduler: CallScheduler }): AppApi {
  const address = (path: string, query: Readonly<Record<string, string>>): string =>
    `${config.baseUrl.replace(/\/$/, '')}/cgi-bin/${path}?${new URLSearchParams(query)}`
  const tokens = createTokenSource(
    () =>
      callApi({
        name: 'gettoken',
        url: address('gettoken', { corpid: config.corpId, corpsecret: config.secret }),
        repeatable: true,
      }),
    deps.clock,
  )
  const url: AppApi['url'] = (path, query, token) => address(path, { access_token: token, ...query })
  return {
    tokens,
    config,
    url,
    post: (path, json, options) =>
      tokens.with((token) => callApi({ name: path, url: url(path, {}, token), json, ...options })),
    read: (path, query, signal) =>
      deps.scheduler.run(
        {
          buckets: [
            { name: `wecom:${config.corpId}:${path}`, limits: [{ calls: READS_PER_MINUTE, perMs: 60_000 }] },
          ],
          priority: 'low',
          lane: path,
          ...(signal && { signal }),
        },
        () =>
          tokens.with((token) =>
            callApi({ name: path, url: url(path, query, token), repeatable: true, signal }),
          ),
      ),
    upload: (path, query, raw, signal) =>
      tokens.with((token) =>
        callApi({
          name: path,
          url: url(path, query, token),
          raw,
          repeatable: true,
          timeoutMs: 120_000,
          signal,
        }),
      ),
  }
}
