/**
 * Paces platform calls. Limits belong to an app, a chat or a card, and many answers share them, so
 * one scheduler serves a whole bot: high calls first, then lanes in turn. It knows buckets and queues,
 * never what a call does.
 */
import type { CallRequest, CallScheduler } from '../protocol/adapter.ts'
import type { Clock } from '../protocol/ports.ts'
import { createCallBuckets } from './call-buckets.ts'

interface Waiting {
  readonly request: CallRequest
  readonly start: () => void
}

/** One scheduler per process; limits are told apart by the names of their buckets. */
export function createCallScheduler(clock: Clock): CallScheduler {
  const buckets = createCallBuckets(clock)
  const high: Waiting[] = []
  const lanes = new Map<string, Waiting[]>()
  let cancelTimer: (() => void) | undefined

  /** Starts the call if it may; returns how long it still has to wait, milliseconds. */
  const startIfFree = (waiting: Waiting): number => {
    const wait = buckets.waitOf(waiting.request)
    if (wait > 0) return wait
    buckets.use(waiting.request)
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
    else buckets.forgetIdle()
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
    hold: buckets.hold,
  }
}
