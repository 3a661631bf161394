/**
 * Platform callbacks on raw bytes: `/webhooks/<bot>[/…]`. Limits first, then the adapter's own
 * verification; nothing here parses a body, so a signature is checked over what really arrived.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RawRequest, RawResponse } from '../protocol/adapter.ts'
import type { Clock, Logger } from '../protocol/ports.ts'
import { createDeadline, type Exchange } from './exchange-deadline.ts'
import { answerAndClose, createAnswer } from './raw-answer.ts'
import { readBody } from './raw-body.ts'
import { createTurn } from './turn.ts'

/** What the callbacks of all bots go to; a bot is found by its id of the configuration. */
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
  const deadline = createDeadline(exchangeMs, clock, answerAndClose)
  const answer = createAnswer()
  const atTurnEnd = createTurn()
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
    const take = async (body: Buffer): Promise<void> => {
      const { method = 'GET', headers } = request
      const { botId, path, query } = target
      try {
        const raw = await routes.handle(botId, { method, path, query, headers, body })
        deadline.met(exchange)
        answer(response, raw)
      } catch (error) {
        logger.error({ error, bot: botId }, 'webhook failed')
        end(500)
      }
    }
    deadline.watch(exchange)
    readBody(request, limit, end, (body) => {
      exchange.statusWhenLate = 503
      atTurnEnd(() => void take(body))
    })
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
