/**
 * Platform callbacks on raw bytes: `/webhooks/<bot>[/…]`. Limits first, then the adapter's own
 * verification; nothing here parses a body, so a signature is checked over what really arrived.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RawRequest, RawResponse } from '../protocol/adapter.ts'
import type { Clock, Logger } from '../protocol/ports.ts'

export interface WebhookRoutes {
  /** Largest body of the route in bytes; undefined when no bot listens there, which answers 404. */
  limit(botId: string, path: string): number | undefined
  /** Verifies and takes the request. A rejection is answered with 500, so that the platform repeats it. */
  handle(botId: string, request: RawRequest): Promise<RawResponse>
}

const PREFIX = '/webhooks/'
const BOT_ID = /^[a-z0-9][a-z0-9-]{0,31}$/

/** True for every path that must never reach Express. */
export function isWebhook(url: string): boolean {
  return url.startsWith(PREFIX)
}

/**
 * Answers one callback; never throws. Within `exchangeMs` the body must have arrived (else 408) and
 * the adapter must have answered (else 503).
 */
export function createWebhooks(
  routes: WebhookRoutes,
  exchangeMs: number,
  clock: Clock,
  logger: Logger,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const target = parseTarget(request.url ?? '')
    const limit = target && routes.limit(target.botId, target.path)
    if (!target || limit === undefined) return answerAndClose(response, 404)
    const refusal = refusalOf(request, limit)
    if (refusal !== undefined) return answerAndClose(response, refusal)
    let stage: 'body' | 'handler' = 'body'
    const cancel = clock.after(exchangeMs, () => answerAndClose(response, stage === 'body' ? 408 : 503))
    response.once('close', cancel)
    readBody(request, limit, {
      tooLarge: () => answerAndClose(response, 413),
      brokenOff: () => answerAndClose(response, 400),
      read: (body) => {
        stage = 'handler'
        const { method = 'GET', headers } = request
        const { botId, path, query } = target
        routes.handle(botId, { method, path, query, headers, body }).then(
          (raw) => answer(response, raw),
          (error: unknown) => {
            logger.error({ error, bot: botId }, 'webhook failed')
            answerAndClose(response, 500)
          },
        )
      },
    })
  }
}

interface Target {
  readonly botId: string
  readonly path: string
  readonly query: URLSearchParams
}

function parseTarget(url: string): Target | undefined {
  const mark = url.indexOf('?')
  const whole = mark === -1 ? url : url.slice(0, mark)
  const [botId = '', ...rest] = whole.slice(PREFIX.length).split('/')
  if (!BOT_ID.test(botId)) return undefined
  const path = rest.join('/').replace(/\/$/, '')
  return { botId, path, query: new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1)) }
}

function refusalOf(request: IncomingMessage, limit: number): number | undefined {
  if (request.method !== 'GET' && request.method !== 'POST') return 405
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') return 415
  return Number(request.headers['content-length'] ?? 0) > limit ? 413 : undefined
}

interface BodyEnds {
  read(body: Buffer): void
  /** It grew over the limit. */
  tooLarge(): void
  /** The client went away before its end. */
  brokenOff(): void
}

/** Collects the whole body and calls exactly one of `ends`. */
function readBody(request: IncomingMessage, limit: number, ends: BodyEnds): void {
  const chunks: Buffer[] = []
  let size = 0
  let ended = false
  const end = (how: () => void): void => {
    if (ended) return
    ended = true
    how()
  }
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > limit) {
      request.pause()
      return end(ends.tooLarge)
    }
    chunks.push(chunk)
  })
  request.on('end', () => {
    const [only] = chunks
    end(() => ends.read(only && chunks.length === 1 ? only : Buffer.concat(chunks)))
  })
  request.on('error', () => end(ends.brokenOff))
  request.on('close', () => {
    if (!request.complete) end(ends.brokenOff)
  })
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'bad request',
  404: 'no bot listens here',
  405: 'only GET and POST',
  408: 'the body did not arrive in time',
  413: 'the body is too large',
  415: 'compressed bodies are not accepted',
  500: 'failed',
  503: 'not answered in time',
}

const ALWAYS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }

/** Refuses and closes the socket, so that what is still on its way is never read. */
function answerAndClose(response: ServerResponse, status: number): void {
  if (response.headersSent || response.destroyed) return
  const body = REASONS[status] ?? 'refused'
  response.writeHead(status, {
    ...ALWAYS,
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    ...(status === 405 ? { allow: 'GET, POST' } : {}),
  })
  response.end(body)
}

function answer(response: ServerResponse, raw: RawResponse): void {
  if (response.headersSent || response.destroyed) return
  const body = raw.body ?? ''
  response.writeHead(raw.status, {
    ...ALWAYS,
    'content-type': 'text/plain; charset=utf-8',
    ...raw.headers,
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}
