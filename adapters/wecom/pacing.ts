/** Calls of one chat through the shared scheduler, with WeCom's own answer "too often" taken seriously. */
import type { CallScheduler, RateLimit, SendOptions } from '../../src/protocol/adapter.ts'
import { isAppError } from '../../src/protocol/errors.ts'

/** Replies and pushes together, per chat (doc 101463). */
export const CHAT_LIMITS: readonly RateLimit[] = [
  { calls: 30, perMs: 60_000 },
  { calls: 1_000, perMs: 3_600_000 },
]
/** Refreshes of a stream; whether WeCom counts them is not documented. */
export const FRAME_LIMITS: readonly RateLimit[] = [{ calls: 60, perMs: 60_000 }]

interface Pace {
  readonly bucket: string
  readonly limits: readonly RateLimit[]
  readonly lane: string
}

/** Runs a call in its bucket; a refusal for frequency holds the bucket before it reaches the caller. */
export function paced<T>(
  scheduler: CallScheduler,
  pace: Pace,
  options: Pick<SendOptions, 'priority' | 'signal'>,
  call: () => Promise<T>,
): Promise<T> {
  return scheduler.run(
    {
      buckets: [{ name: pace.bucket, limits: pace.limits }],
      priority: options.priority,
      lane: pace.lane,
      ...(options.signal && { signal: options.signal }),
    },
    async () => {
      try {
        return await call()
      } catch (error) {
        if (isAppError(error, 'wecom.rate_limited')) scheduler.hold(pace.bucket, error.retryAfterMs ?? 60_000)
        throw error
      }
    },
  )
}
