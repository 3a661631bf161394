/**
 * The request pipeline of the open API: faults, token, address list, gateway rate, permissions, then
 * the route. Knows nothing of what a route does; turns its refusal into the error envelope.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Answer, faultAnswer, jsonResponse, refusalResponse, replyResponse } from './answer.ts'
import type { RequestFault } from './control.ts'
import { uploadSummary } from './files.ts'
import { admit, type Request } from './gateway.ts'
import { parseJson } from './json.ts'
import type { Platform, Route } from './platform.ts'
import { Refusal } from './refusal.ts'
import { type Matched, matchRoute } from './routes.ts'
import { withoutSecrets } from './token.ts'

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
    (fault.break !== undefined && fault.break !== 'drop_after' && fault.break !== 'cut')
  )
}

function respond(platform: Platform, request: Request, matched: Matched | undefined, host: string): Answer {
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

function note(
  platform: Platform,
  request: Request,
  matched: Matched | undefined,
  answer: Answer,
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

function deliver(outgoing: ServerResponse, answer: Answer, fault: RequestFault | undefined): void {
  if (fault?.break === 'hang') return
  if (fault?.break === 'drop_before' || fault?.break === 'drop_after') {
    outgoing.socket?.destroy()
    return
  }
  outgoing.writeHead(answer.status, { ...answer.headers, 'content-length': answer.body.length })
  if (fault?.break !== 'cut') outgoing.end(answer.body)
  else
    outgoing.write(answer.body.subarray(0, answer.body.length / 2), () =>
      setTimeout(() => outgoing.destroy(), 20),
    )
}
