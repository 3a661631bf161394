/**
 * Fetching what somebody in a chat, or a document, or a model named. Knows how a URL can point back
 * into the company's own network or at an answer without end; refuses to know what is fetched and why.
 * No proxy of the environment is used: a proxy would do the resolving, out of this guard's sight (N6).
 */
import type { Agent, Response } from 'undici'
import { AppError, isAppError } from '../protocol/errors.ts'
import type { Clock } from '../protocol/ports.ts'
import { ownAddresses } from './address.ts'
import { readBody, timedOut } from './body.ts'
import { guardedConnector, type Resolver, systemResolver } from './connector.ts'
import { isAllowed, parseTarget } from './target.ts'

export interface GuardedFetchDeps {
  /** `host` or `host:port` that may be private or on another port; everything else must be public. */
  readonly allow: readonly string[]
  readonly clock: Clock
  /** Default: the system's. */
  readonly resolver?: Resolver
  /** Addresses of this machine; default: those of its interfaces. */
  readonly own?: () => readonly string[]
}

export interface GuardedRequest {
  /** Decompressed bytes; default 5 MB. */
  readonly maxBytes?: number
  /** All hops together; default 20 s. */
  readonly timeoutMs?: number
  /** Sent to the first origin only: a redirect to another one loses them all. */
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Any HTTP status; the body is decompressed and whole. */
export interface GuardedResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly finalUrl: string
  /** Redirects that were followed. */
  readonly hops: number
}

/**
 * A GET that reaches public addresses only. Resolves for every HTTP status. Rejects with `net.bad_url`,
 * `net.blocked_scheme`, `net.blocked_port`, `net.blocked_address`, `net.userinfo`, `net.redirects`,
 * `net.too_large`, `net.timeout` or `net.unreachable`; with the signal's reason when it fired.
 */
export type GuardedFetch = (url: string, request?: GuardedRequest) => Promise<GuardedResponse>

const MAX_BYTES = 5 * 1024 * 1024
const TOTAL_MS = 20_000
const IDLE_MS = 5_000
const MAX_HOPS = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])
const HEADER_BYTES = 32 * 1024

/** Every fetch resolves and judges anew, on connections of its own. */
export function createGuardedFetch(deps: GuardedFetchDeps): GuardedFetch {
  return async (text, request = {}) => {
    const url = parseTarget(text, deps.allow)
    const ending = new AbortController()
    const totalMs = request.timeoutMs ?? TOTAL_MS
    const cancelTotal = deps.clock.after(totalMs, () => ending.abort(timedOut(totalMs)))
    const signals = [ending.signal, ...(request.signal ? [request.signal] : [])]
    const agent = await openAgent(deps)
    try {
      return await follow(url, { deps, request, agent, ending, signal: AbortSignal.any(signals) })
    } catch (error) {
      throw request.signal?.aborted ? request.signal.reason : reasonOf(error, ending.signal)
    } finally {
      cancelTotal()
      // Nothing is kept open: the next fetch resolves and judges again.
      await agent.destroy()
    }
  }
}

interface Journey {
  readonly deps: GuardedFetchDeps
  readonly request: GuardedRequest
  readonly agent: Agent
  readonly ending: AbortController
  readonly signal: AbortSignal
}

async function openAgent(deps: GuardedFetchDeps): Promise<Agent> {
  const { Agent, buildConnector } = await import('undici')
  const connect = guardedConnector({
    build: buildConnector,
    resolver: deps.resolver ?? systemResolver,
    own: deps.own ?? ownAddresses,
    allowed: (hostname, port) => isAllowed(hostname, port, deps.allow),
    connectTimeoutMs: IDLE_MS,
  })
  // Time is kept by the clock, not by undici's own timers.
  return new Agent({ connect, headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: HEADER_BYTES, pipelining: 0 })
}

/** Walks the redirects by hand, because each hop is an address somebody else chose (N3). */
async function follow(first: URL, journey: Journey): Promise<GuardedResponse> {
  const { fetch } = await import('undici')
  let url = first
  let headers = journey.request.headers ?? {}
  for (let hops = 0; ; hops++) {
    const response = await fetch(url, {
      dispatcher: journey.agent,
      redirect: 'manual',
      headers,
      signal: journey.signal,
    })
    const next = redirectOf(response, url, journey.deps.allow)
    if (next === undefined) return { ...(await answerOf(response, journey)), finalUrl: url.href, hops }
    await response.body?.cancel()
    if (hops === MAX_HOPS) throw tooManyHops()
    if (next.origin !== url.origin) headers = {}
    url = next
  }
}

function redirectOf(response: Response, from: URL, allow: readonly string[]): URL | undefined {
  const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null
  if (location === null) return undefined
  return parseTarget(URL.parse(location, from.href)?.href ?? location, allow)
}

async function answerOf(
  response: Response,
  { deps, request, ending }: Journey,
): Promise<Pick<GuardedResponse, 'status' | 'headers' | 'body'>> {
  const limits = { maxBytes: request.maxBytes ?? MAX_BYTES, idleMs: IDLE_MS }
  const body = await readBody(response.body, limits, deps.clock, (reason) => ending.abort(reason))
  return { status: response.status, headers: Object.fromEntries(response.headers), body }
}

function tooManyHops(): AppError {
  return new AppError('net.redirects', `more than ${MAX_HOPS} redirects`, {
    hint: 'The site sends visitors round in circles. Give the address where the chain ends.',
    params: { count: MAX_HOPS },
  })
}

/** The refusal inside what undici throws, or `net.unreachable`. */
function reasonOf(error: unknown, ending: AbortSignal): unknown {
  if (ending.aborted) return ending.reason
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (isAppError(cause)) return cause
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const detail = inner instanceof Error && 'code' in inner ? String(inner.code) : 'failed'
  return new AppError('net.unreachable', `no usable answer (${detail})`, {
    hint: 'Check the address; the server may be down, unknown or answering something that is not HTTP.',
    retryable: true,
    params: { reason: detail },
    cause: error,
  })
}
