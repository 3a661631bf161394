import type { Clock } from '../../../src/protocol/ports.ts'

/** A tenant access token and how many seconds it lives. */
export interface IssuedToken {
  readonly token: string
  readonly expiresInSeconds: number
}

interface TokenSource {
  /** The cached token, or a new one; concurrent callers share one request. */
  get(): Promise<string>
  /** Forgets the cached token if it is still `token`, so that a late failure cannot drop a newer one. */
  invalidate(token: string): void
}

/** Feishu issues a new token in the last 30 minutes of the old one; both stay valid until their end. */
const RENEW_BEFORE_MS = 5 * 60_000

/**
 * Keeps one tenant token. Lifetimes are measured on the monotonic clock, so a jump of the wall clock
 * neither keeps a dead token nor throws a live one away.
 */
export function createTokenSource(clock: Clock, issue: () => Promise<IssuedToken>): TokenSource {
  let cached: { token: string; until: number } | undefined
  let pending: Promise<string> | undefined

  const renew = async (): Promise<string> => {
    const { token, expiresInSeconds } = await issue()
    const life = expiresInSeconds * 1_000
    cached = { token, until: clock.monotonic() + Math.max(life - RENEW_BEFORE_MS, life / 2) }
    return token
  }

  return {
    get: () => {
      if (cached && cached.until > clock.monotonic()) return Promise.resolve(cached.token)
      pending ??= renew().finally(() => {
        pending = undefined
      })
      return pending
    },
    invalidate: (token) => {
      if (cached?.token === token) cached = undefined
    },
  }
}
