/** A `fetch` for protocols that post forms to addresses somebody else named: public addresses only, no redirects. */
import { AppError } from '../protocol/errors.ts'
import { ownAddresses } from './address.ts'
import { guardedConnector, type Resolver, systemResolver } from './connector.ts'

const MAX_BYTES = 1_048_576
const TIMEOUT_MS = 15_000

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** Only https. Rejects with `net.blocked_scheme`, `net.blocked_address`, `net.too_large`, or what undici says. */
export function createPublicFetch(resolver: Resolver = systemResolver): Fetch {
  return async (input, init = {}) => {
    const url = new URL(input)
    if (url.protocol !== 'https:') {
      throw new AppError('net.blocked_scheme', `${url.origin} is not https`, {
        params: { scheme: url.protocol },
      })
    }
    const { Agent, buildConnector, fetch } = await import('undici')
    const connect = guardedConnector({
      build: buildConnector,
      resolver,
      own: ownAddresses,
      allowed: () => false,
      connectTimeoutMs: TIMEOUT_MS,
    })
    const agent = new Agent({ connect })
    try {
      const timeout = AbortSignal.timeout(TIMEOUT_MS)
      const response = await fetch(url.href, {
        dispatcher: agent,
        method: init.method ?? 'GET',
        headers: Object.fromEntries(new Headers(init.headers)),
        body: init.body === undefined || init.body === null ? null : await new Response(init.body).text(),
        redirect: 'manual',
        signal: init.signal ? AbortSignal.any([init.signal, timeout]) : timeout,
      })
      const body = await response.arrayBuffer()
      if (body.byteLength > MAX_BYTES)
        throw new AppError('net.too_large', `${url.origin} answered with too much`)
      const isEmpty = response.status === 204 || response.status === 304
      return new Response(isEmpty ? null : body, {
        status: response.status,
        headers: Object.fromEntries(response.headers),
      })
    } finally {
      await agent.destroy()
    }
  }
}
