/** Access tokens of self-built apps: one request at a time per app, kept until shortly before their end. */
import { z } from 'zod'
import { AppError } from '../../src/protocol/errors.ts'
import type { Clock } from '../../src/protocol/ports.ts'
import { errcodeOf } from './errors.ts'

export interface TokenSource {
  /** A token that should still work. Concurrent callers share one request. */
  get(): Promise<string>
  /**
   * Runs a call with a token; on 40014 or 42001 drops that token, if it is still the cached one, and runs
   * the call once more. Any other error, and a second refusal, reach the caller.
   */
  with<T>(call: (token: string) => Promise<T>): Promise<T>
}

const tokenSchema = z.looseObject({ access_token: z.string().min(1), expires_in: z.number() })
/** Renewed this long before WeCom lets it expire, milliseconds. */
const EARLY_MS = 120_000
const TOKEN_ERRORS = new Set([40014, 42001])

/**
 * @param fetchToken performs `gettoken`; its errors are not retried here: repeating a wrong secret gets
 * our address banned for an hour (doc 90313)
 */
export function createTokenSource(fetchToken: () => Promise<unknown>, clock: Clock): TokenSource {
  let cached: { token: string; until: number } | undefined
  let running: Promise<string> | undefined

  const refresh = async (): Promise<string> => {
    const answer = tokenSchema.safeParse(await fetchToken())
    if (!answer.success)
      throw new AppError('wecom.bad_answer', 'gettoken: an answer without a token', { retryable: true })
    const { access_token: token, expires_in: seconds } = answer.data
    cached = { token, until: clock.monotonic() + seconds * 1_000 - EARLY_MS }
    return token
  }
  const get: TokenSource['get'] = async () => {
    if (cached !== undefined && clock.monotonic() < cached.until) return cached.token
    running ??= refresh().finally(() => {
      running = undefined
    })
    return running
  }
  return {
    get,
    with: async (call) => {
      const token = await get()
      try {
        return await call(token)
      } catch (error) {
        if (!TOKEN_ERRORS.has(errcodeOf(error) ?? 0)) throw error
        if (cached?.token === token) cached = undefined
        return call(await get())
      }
    },
  }
}
