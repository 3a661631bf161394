/** Rate limits by name: how long a call must wait until each of its buckets has room. Knows numbers, not calls. */
import type { CallRequest, RateLimit } from '../protocol/adapter.ts'
import type { Clock } from '../protocol/ports.ts'

/** Usage of all buckets that calls have named. Times are monotonic milliseconds. */
export interface CallBuckets {
  /** Milliseconds until every bucket of the request has room; 0 when it may start. */
  waitOf(request: CallRequest): number
  /** Counts a call that starts now. */
  use(request: CallRequest): void
  /** Blocks a bucket for `ms`, because the platform asked for it. */
  hold(name: string, ms: number): void
  /** Drops buckets that have not been used for a while. */
  forgetIdle(): void
}

interface Bucket {
  readonly limits: readonly RateLimit[]
  /** Start times of recent calls, oldest first. */
  readonly calls: number[]
  heldUntil: number
  /** Time at which an even pace would have used as much of the long window as is used now. */
  pacedUntil: number
}

/**
 * A limit over a window of at least this length is treated as a budget: used up in a burst, it would block all
 * calls for the rest of the window. So low-priority calls are spread evenly after a short initial burst, and a
 * part is reserved for high-priority calls. Milliseconds.
 */
const BUDGET_MS = 10_000
const FIRST_SHARE = 0.05
const KEPT_SHARE = 0.05
/** Buckets that nobody used for this long are forgotten. */
const IDLE_BUCKET_MS = 120_000

/** Empty buckets; each is created by the first call that names it. */
export function createCallBuckets(clock: Clock): CallBuckets {
  const buckets = new Map<string, Bucket>()
  const bucketOf = (name: string, limits: readonly RateLimit[]): Bucket => {
    const known = buckets.get(name)
    if (known) return known
    const made = { limits, calls: [], heldUntil: 0, pacedUntil: 0 }
    buckets.set(name, made)
    return made
  }
  return {
    waitOf: (request) =>
      Math.max(
        0,
        ...request.buckets.map(({ name, limits }) => {
          const bucket = bucketOf(name, limits)
          const pace = request.priority === 'low' ? paceWait(bucket, clock.monotonic()) : 0
          return Math.max(pace, bucketWait(bucket, clock.monotonic()))
        }),
      ),
    use: (request) => {
      const now = clock.monotonic()
      for (const { name, limits } of request.buckets) {
        const bucket = bucketOf(name, limits)
        bucket.calls.push(now)
        bucket.pacedUntil = Math.max(bucket.pacedUntil, now) + (budgetOf(bucket)?.everyMs ?? 0)
      }
    },
    hold: (name, ms) => {
      const bucket = bucketOf(name, [])
      bucket.heldUntil = Math.max(bucket.heldUntil, clock.monotonic() + ms)
    },
    forgetIdle: () => forgetIdle(buckets, clock.monotonic()),
  }
}

function bucketWait(bucket: Bucket, now: number): number {
  let wait = bucket.heldUntil - now
  const longest = Math.max(0, ...bucket.limits.map((limit) => limit.perMs))
  while (bucket.calls.length > 0 && (bucket.calls[0] ?? now) <= now - longest) bucket.calls.shift()
  for (const { calls, perMs } of bucket.limits) {
    const nth = bucket.calls[bucket.calls.length - calls]
    if (nth !== undefined) wait = Math.max(wait, nth + perMs - now)
  }
  return wait
}

/** Even pace of a bucket's longest window, if that window is a budget (see {@link BUDGET_MS}). */
function budgetOf({ limits }: Bucket): { everyMs: number; aheadMs: number } | undefined {
  const longest = limits.reduce<RateLimit | undefined>(
    (long, limit) => (long && long.perMs >= limit.perMs ? long : limit),
    undefined,
  )
  if (!longest || longest.perMs < BUDGET_MS) return undefined
  const everyMs = longest.perMs / (longest.calls * (1 - FIRST_SHARE - KEPT_SHARE))
  return { everyMs, aheadMs: everyMs * longest.calls * FIRST_SHARE }
}

function paceWait(bucket: Bucket, now: number): number {
  return bucket.pacedUntil - (budgetOf(bucket)?.aheadMs ?? 0) - now
}

function forgetIdle(buckets: Map<string, Bucket>, now: number): void {
  for (const [name, bucket] of buckets) {
    const last = Math.max(bucket.calls.at(-1) ?? 0, bucket.heldUntil)
    if (last < now - IDLE_BUCKET_MS) buckets.delete(name)
  }
}
