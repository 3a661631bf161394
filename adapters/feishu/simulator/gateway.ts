/** Everything that is checked before a service sees a request: token, address, rate, permissions. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Call, Platform, Route } from './platform.ts'
import { Refusal } from './refusal.ts'
import type { Matched } from './routes.ts'
import type { App } from './state.ts'

/** A request as it was read. */
export interface Request {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly raw: Buffer
  readonly body: unknown
}

/** The authenticated call, or a refusal. */
export function admit(platform: Platform, request: Request, matched: Matched): Call {
  const app = platform.tokens.appOf(request.headers.authorization)
  if (app.ipAllowList.length > 0 && !app.ipAllowList.includes('127.0.0.1'))
    throw new Refusal(99991401, 'ip is not in the allow list', { status: 400 })
  checkGatewayRate(platform, app, matched.route)
  checkScopes(app, matched.route)
  return {
    app,
    params: matched.params,
    query: request.url.searchParams,
    headers: request.headers,
    body: request.body,
    raw: request.raw,
  }
}

/** Counted for each API of each app in a tenant, as the gateway's page on frequency control says. */
function checkGatewayRate(platform: Platform, app: App, route: Route): void {
  const { rateLimits, callsPerSecond, callsPerMinute } = platform.state.settings
  if (!rateLimits) return
  const windows = [
    { calls: callsPerSecond, perMs: 1000 },
    { calls: callsPerMinute, perMs: 60_000 },
  ]
  for (const { calls, perMs } of windows) {
    const wait = platform.rates.take(
      `gateway ${app.appId} ${route.method} ${route.path} ${perMs}`,
      calls,
      perMs,
    )
    if (wait === 0) continue
    const headers = {
      'x-ogw-ratelimit-limit': String(calls),
      'x-ogw-ratelimit-reset': String(Math.ceil(wait / 1000)),
    }
    throw new Refusal(99991400, 'request trigger frequency limit', { status: 429, headers })
  }
}

/** Permissions count only once a version with them is published. */
function checkScopes(app: App, route: Route): void {
  const isSelfCheck = route.needs.includes('application:application:self_manage')
  const granted = (app.published || isSelfCheck) && route.needs.some((scope) => app.scopes.has(scope))
  if (route.needs.length === 0 || granted) return
  const list = route.needs.join(', ')
  throw new Refusal(
    99991672,
    `Access denied. One of the following scopes is required: [${list}]. https://open.feishu.cn/app/${app.appId}/auth?q=${route.needs.join(',')}`,
    {
      status: 400,
      violations: route.needs.map((field) => ({ field, description: 'scope' })),
    },
  )
}
