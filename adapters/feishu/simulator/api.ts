/**
 * The request pipeline of the open API: faults, token, address list, gateway rate, permissions, then
 * the route. Knows nothing of what a route does; turns its refusal into the error envelope.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { RequestFault } from './control.ts'
import { uploadSummary } from './files.ts'
import { type JsonObject, parseJson } from './json.ts'
import type { Call, Platform, Reply, Route } from './platform.ts'
import { Refusal } from './refusal.ts'
import { type Matched, matchRoute } from './routes.ts'
import type { App } from './state.ts'
import { withoutSecrets } from './token.ts'

interface Request {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly raw: Buffer
  readonly body: unknown
}

interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly json?: JsonObject
}

const maxBody = 160 * 1024 * 1024

/** Handles one HTTP request from first byte to last; never rejects for what the client sent. */
export async function serveRequest(
  platform: Platform,
  routes: readonly Route[],
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const raw = await readBody(incoming)
  if (raw === undefined) {
    incoming.destroy()
    return
  }
  const request: Request = {
    method: incoming.method ?? 'GET',
    url: new URL(incoming.url ?? '/', 'http://localhost'),
    headers: incoming.headers,
    raw,
    body: raw.length > 0 ? parseJson(raw.toString('utf8')) : undefined,
  }
  const matched = matchRoute(routes, request.method, request.url.pathname)
  const appId = platform.tokens.peek(request.headers.authorization)
  const fault = platform.faults.takeRequest(
    request.method,
    matched?.route.path ?? request.url.pathname,
    appId,
  )
  if (fault?.delayMs !== undefined) await platform.state.clock.sleep(fault.delayMs)
  const answer =
    fault && stops(fault)
      ? faultAnswer(fault)
      : respond(platform, request, matched, incoming.headers.host ?? '')
  note(platform, request, matched, answer, appId, fault)
  deliver(outgoing, answer, fault)
}

async function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of incoming) {
      if (!Buffer.isBuffer(chunk)) return undefined
      size += chunk.length
      if (size > maxBody) return undefined
      chunks.push(chunk)
    }
  } catch {
    // The client went away in the middle of its request: there is nobody to answer.
    return undefined
  }
  return Buffer.concat(chunks)
}

function stops(fault: RequestFault): boolean {
  return (
    fault.status !== undefined ||
    fault.code !== undefined ||
    (fault.break !== undefined && fault.break !== 'drop_after')
  )
}

function faultAnswer(fault: RequestFault): Response {
  if (fault.break === 'html')
    return {
      status: fault.status ?? 502,
      headers: { 'content-type': 'text/html' },
      body: Buffer.from('<html>Bad Gateway</html>'),
    }
  const status = fault.status ?? (fault.code === undefined ? 500 : 400)
  return jsonResponse(status, { code: fault.code ?? status, msg: fault.message ?? 'fault' }, fault.headers)
}

function respond(platform: Platform, request: Request, matched: Matched | undefined, host: string): Response {
  try {
    if (request.method === 'POST' && request.url.pathname === '/callback/ws/endpoint') {
      const { status, body } = platform.sockets.endpoint(request.body, host)
      return jsonResponse(status, body)
    }
    if (
      request.method === 'POST' &&
      request.url.pathname === '/open-apis/auth/v3/tenant_access_token/internal'
    )
      return jsonResponse(200, { code: 0, msg: 'ok', ...platform.tokens.issue(request.body) })
    if (!matched) return jsonResponse(404, { code: 404, msg: '404 page not found' })
    return replyResponse(matched.route.handle(admit(platform, request, matched)))
  } catch (error) {
    if (error instanceof Refusal) return refusalResponse(platform, error)
    platform.state.logger.error({ error, path: request.url.pathname }, 'simulator route failed')
    return jsonResponse(500, { code: 500, msg: 'internal error' })
  }
}

/** Everything the gateway checks before the service sees the request. */
function admit(platform: Platform, request: Request, matched: Matched): Call {
  const app = platform.tokens.appOf(request.headers.authorization)
  if (app.ipAllowList.length > 0 && !app.ipAllowList.includes('127.0.0.1'))
    throw new Refusal(99991401, 'ip is not in the allow list', { status: 400 })
  checkGatewayRate(platform, app)
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

function checkGatewayRate(platform: Platform, app: App): void {
  const { rateLimits, callsPerSecond, callsPerMinute } = platform.state.settings
  if (!rateLimits) return
  const windows = [
    { calls: callsPerSecond, perMs: 1000 },
    { calls: callsPerMinute, perMs: 60_000 },
  ]
  for (const { calls, perMs } of windows) {
    const wait = platform.rates.take(`gateway ${app.appId} ${perMs}`, calls, perMs)
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

function jsonResponse(
  status: number,
  json: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return {
    status,
    json,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: Buffer.from(JSON.stringify(json)),
  }
}

function replyResponse(reply: Reply): Response {
  if (reply.type === 'file') return { status: 200, headers: reply.headers, body: reply.bytes }
  const head = { code: 0, msg: reply.msg ?? 'success' }
  return jsonResponse(
    200,
    reply.type === 'top' ? { ...head, ...reply.fields } : { ...head, data: reply.data },
  )
}

function refusalResponse(platform: Platform, refusal: Refusal): Response {
  const logId = platform.state.ids.hex(32)
  const violations = refusal.options.violations
  const error = {
    log_id: logId,
    troubleshooter: `https://open.feishu.cn/search?log_id=${logId}`,
    ...(violations ? { field_violations: violations } : {}),
  }
  const status = refusal.options.status ?? platform.state.settings.businessErrorStatus
  const json = { code: refusal.code, msg: refusal.message, error, ...refusal.options.data }
  return jsonResponse(status, json, { 'x-tt-logid': logId, ...refusal.options.headers })
}

function note(
  platform: Platform,
  request: Request,
  matched: Matched | undefined,
  answer: Response,
  appId: string | undefined,
  fault: RequestFault | undefined,
): void {
  const type = request.headers['content-type'] ?? ''
  const code = answer.json?.['code']
  platform.journal.request({
    method: request.method,
    route: matched?.route.path ?? request.url.pathname,
    path: request.url.pathname,
    query: Object.fromEntries(request.url.searchParams),
    body: type.startsWith('multipart/') ? uploadSummary(type, request.raw) : withoutSecrets(request.body),
    status: answer.status,
    code: typeof code === 'number' ? code : -1,
    response: withoutSecrets(answer.json),
    ...(appId === undefined ? {} : { appId }),
    ...(fault ? { fault: fault.break ?? `${fault.status ?? ''} ${fault.code ?? ''}`.trim() } : {}),
  })
}

function deliver(outgoing: ServerResponse, answer: Response, fault: RequestFault | undefined): void {
  if (fault?.break === 'hang') return
  if (fault?.break === 'drop_before' || fault?.break === 'drop_after') {
    outgoing.socket?.destroy()
    return
  }
  outgoing.writeHead(answer.status, { ...answer.headers, 'content-length': answer.body.length })
  outgoing.end(answer.body)
}
