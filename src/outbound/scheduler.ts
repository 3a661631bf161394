/**
 * Paces platform calls. Limits belong to an app, a chat or a card, and many answers share them, so
 * one scheduler serves a whole bot: high calls first, then lanes in turn. It knows names and
 * numbers of buckets, never what a call does.
 */
import type { CallRequest, CallScheduler, RateLimit } from '../protocol/adapter.ts'
import type { Clock } from '../protocol/ports.ts'

interface Bucket {
  readonly limits: readonly RateLimit[]
  /** Start times of recent calls, oldest first. */
  readonly calls: number[]
  heldUntil: number
  /** Time at which an even pace would have used as much of the long window as is used now. */
  pacedUntil: number
}

interface Waiting {
  readonly request: CallRequest
  readonly start: () => void
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

export function createCallScheduler(clock: Clock): CallScheduler {
  const buckets = new Map<string, Bucket>()
  const high: Waiting[] = []
  const lanes = new Map<string, Waiting[]>()
  let cancelTimer: (() => void) | undefined

  const bucketOf = (name: string, limits: readonly RateLimit[]): Bucket => {
    const known = buckets.get(name)
    if (known) return known
    const made = { limits, calls: [], heldUntil: 0, pacedUntil: 0 }
    buckets.set(name, made)
    return made
  }

  /** Milliseconds until every bucket of the request has room; 0 when it may start. */
  const waitOf = (request: CallRequest): number =>
    Math.max(
      0,
      ...request.buckets.map(({ name, limits }) => {
        const bucket = bucketOf(name, limits)
        const pace = request.priority === 'low' ? paceWait(bucket, clock.monotonic()) : 0
        return Math.max(pace, bucketWait(bucket, clock.monotonic()))
      }),
    )

  const startIfFree = (waiting: Waiting): number => {
    const wait = waitOf(waiting.request)
    if (wait > 0) return wait
    const now = clock.monotonic()
    for (const { name, limits } of waiting.request.buckets) {
      const bucket = bucketOf(name, limits)
      bucket.calls.push(now)
      bucket.pacedUntil = Math.max(bucket.pacedUntil, now) + (budgetOf(bucket)?.everyMs ?? 0)
    }
    waiting.start()
    return 0
  }

  /** Starts whatever may start and arms one timer for the rest. */
  const pump = (): void => {
    cancelTimer?.()
    cancelTimer = undefined
    let soonest = Number.POSITIVE_INFINITY
    for (let index = 0; index < high.length; ) {
      const wait = startIfFree(high[index] as Waiting)
      if (wait === 0) high.splice(index, 1)
      else index++
      if (wait > 0) soonest = Math.min(soonest, wait)
    }
    for (const [lane, queue] of [...lanes]) {
      const first = queue[0]
      if (!first) continue
      const wait = startIfFree(first)
      if (wait > 0) {
        soonest = Math.min(soonest, wait)
        continue
      }
      queue.shift()
      // A lane that was served goes to the end, so that lanes take turns.
      lanes.delete(lane)
      if (queue.length > 0) {
        lanes.set(lane, queue)
        soonest = 0
      }
    }
    if (Number.isFinite(soonest)) cancelTimer = clock.after(Math.ceil(soonest), pump)
    else forgetIdle(buckets, clock.monotonic())
  }

  const enqueue = (waiting: Waiting): void => {
    if (waiting.request.priority === 'high') high.push(waiting)
    else lanes.set(waiting.request.lane, [...(lanes.get(waiting.request.lane) ?? []), waiting])
    pump()
  }

  const forget = (waiting: Waiting): void => {
    const index = high.indexOf(waiting)
    if (index >= 0) high.splice(index, 1)
    const lane = lanes.get(waiting.request.lane)
    if (lane)
      lanes.set(
        waiting.request.lane,
        lane.filter((other) => other !== waiting),
      )
  }

  return {
    run: (request, call) =>
      new Promise((resolve, reject) => {
        if (request.signal?.aborted) return reject(request.signal.reason)
        const waiting: Waiting = {
          request,
          start: () => {
            request.signal?.removeEventListener('abort', onAbort)
            call().then(resolve, reject)
          },
        }
        const onAbort = (): void => {
          forget(waiting)
          reject(request.signal?.reason)
        }
        request.signal?.addEventListener('abort', onAbort, { once: true })
        enqueue(waiting)
      }),
    hold: (name, ms) => {
      const bucket = bucketOf(name, [])
      bucket.heldUntil = Math.max(bucket.heldUntil, clock.monotonic() + ms)
    },
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
