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
  const deadline = createDeadline(exchangeMs, clock)
  const noQuery = new URLSearchParams()
  return (request, response) => {
    const target = parseTarget(request.url ?? '', noQuery)
    const limit = target && routes.limit(target.botId, target.path)
    if (!target || limit === undefined) return answerAndClose(response, 404)
    const refusal = refusalOf(request, limit)
    if (refusal !== undefined) return answerAndClose(response, refusal)
    const exchange: Exchange = { until: 0, response, statusWhenLate: 408 }
    const end = (status: number): void => {
      deadline.met(exchange)
      answerAndClose(response, status)
    }
    deadline.watch(exchange)
    readBody(request, limit, end, (body) => {
      exchange.statusWhenLate = 503
      const { method = 'GET', headers } = request
      const { botId, path, query } = target
      routes.handle(botId, { method, path, query, headers, body }).then(
        (raw) => {
          deadline.met(exchange)
          answer(response, raw)
        },
        (error: unknown) => {
          logger.error({ error, bot: botId }, 'webhook failed')
          end(500)
        },
      )
    })
  }
}

interface Exchange {
  /** When it is late, on the monotonic clock. */
  until: number
  /** Undefined once the exchange is over. */
  response: ServerResponse | undefined
  /** Whoever is waited for: the client for its body, then the adapter. */
  statusWhenLate: 408 | 503
}

/**
 * One timer for all exchanges: a timer for each would be made and taken back for every event, and hardly one
 * ever rings. All get the same time, so the oldest is the next that can be late.
 *
 * Nothing here may keep a request longer than it lasts, or the cheap collection of young objects would copy every
 * request once and keep it until the next full one. So an exchange carries no function of its own, since V8 puts a
 * function that is assigned to a property among the old objects; and it lets go of its response, since the table
 * that a growing set leaves behind still points to what was in it and to the table after it.
 */
function createDeadline(
  ms: number,
  clock: Clock,
): { watch(exchange: Exchange): void; met(exchange: Exchange): void } {
  const open = new Set<Exchange>()
  let isArmed = false
  const over = (exchange: Exchange): void => {
    open.delete(exchange)
    exchange.response = undefined
  }
  const arm = (wait: number): void => {
    isArmed = true
    clock.after(wait, () => {
      isArmed = false
      const now = clock.monotonic()
      for (const exchange of open) {
        if (exchange.until > now) return arm(exchange.until - now)
        const { response, statusWhenLate } = exchange
        over(exchange)
        if (response) answerAndClose(response, statusWhenLate)
      }
    })
  }
  return {
    watch: (exchange) => {
      exchange.until = clock.monotonic() + ms
      open.add(exchange)
      if (!isArmed) arm(ms)
    },
    met: over,
  }
}

interface Target {
  readonly botId: string
  readonly path: string
  readonly query: URLSearchParams
}

function parseTarget(url: string, noQuery: URLSearchParams): Target | undefined {
  const mark = url.indexOf('?')
  const whole = url.slice(PREFIX.length, mark === -1 ? undefined : mark)
  const slash = whole.indexOf('/')
  const botId = slash === -1 ? whole : whole.slice(0, slash)
  if (!BOT_ID.test(botId)) return undefined
  const path = slash === -1 ? '' : whole.slice(slash + 1).replace(/\/$/, '')
  return { botId, path, query: mark === -1 ? noQuery : new URLSearchParams(url.slice(mark + 1)) }
}

function refusalOf(request: IncomingMessage, limit: number): number | undefined {
  if (request.method !== 'GET' && request.method !== 'POST') return 405
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') return 415
  return Number(request.headers['content-length'] ?? 0) > limit ? 413 : undefined
}

/** Collects the whole body and calls `read`; or once `refuse`, when it grew over the limit or broke off. */
function readBody(
  request: IncomingMessage,
  limit: number,
  refuse: (status: 413 | 400) => void,
  read: (body: Buffer) => void,
): void {
  const chunks: Buffer[] = []
  let size = 0
  let ended = false
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= limit) return void chunks.push(chunk)
    request.pause()
    if (!ended) refuse(413)
    ended = true
  })
  request.on('end', () => {
    if (ended) return
    ended = true
    const [only] = chunks
    read(only && chunks.length === 1 ? only : Buffer.concat(chunks))
  })
  // A client that goes away before the end is an error, too.
  request.on('error', () => {
    if (!ended) refuse(400)
    ended = true
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

const ANSWER_HEADERS = { ...ALWAYS, 'content-type': 'text/plain; charset=utf-8' }

function answer(response: ServerResponse, raw: RawResponse): void {
  if (response.headersSent || response.destroyed) return
  const body = raw.body ?? ''
  const length = Buffer.byteLength(body)
  response.writeHead(raw.status, { ...ANSWER_HEADERS, ...raw.headers, 'content-length': length })
  response.end(body)
}
