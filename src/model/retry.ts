/** When a failed model request is tried again, and how long to wait before it. Pure. */
import type { AppError } from '../protocol/errors.ts'
import type { Random } from '../protocol/ports.ts'

export interface RetryPolicy {
  /** Tries in all, the first one included. */
  readonly attempts: number
  readonly baseMs: number
  readonly maxMs: number
  /** No try starts later than this after the first one began, milliseconds. */
  readonly totalMs: number
}

export const DEFAULT_RETRY: RetryPolicy = { attempts: 5, baseMs: 1_000, maxMs: 30_000, totalMs: 180_000 }

/**
 * Milliseconds to wait before the next try, or undefined when there must be none: the failure will
 * not pass by itself, the tries are used up, or the wait would end after the total budget.
 * The provider's own Retry-After wins over the back-off and is never shortened.
 */
export function retryDelay(
  failure: AppError,
  attempt: number,
  elapsedMs: number,
  policy: RetryPolicy,
  random: Random,
): number | undefined {
  if (!failure.retryable || attempt >= policy.attempts) return undefined
  const backOff = Math.min(policy.maxMs, policy.baseMs * 2 ** (attempt - 1))
  const jitter = 0.75 + random.float() / 2
  const wait = failure.retryAfterMs ?? Math.round(backOff * jitter)
  return elapsedMs + wait > policy.totalMs ? undefined : wait
}
