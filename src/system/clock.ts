/** The real clock. Everything else takes a {@link Clock}, so that tests move time by hand. */
import type { Clock } from '../protocol/ports.ts'

/** Longest delay a Node timer takes; a longer one fires after 1 ms instead. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Its timers do not keep the process alive, and may be longer than Node allows (24.8 days). */
export function createSystemClock(): Clock {
  const after = (ms: number, fn: () => void): (() => void) => {
    let timer: NodeJS.Timeout
    const arm = (left: number): void => {
      const step = Math.min(left, MAX_TIMER_MS)
      timer = setTimeout(() => (left > step ? arm(left - step) : fn()), Math.max(0, step))
      timer.unref()
    }
    arm(ms)
    return () => clearTimeout(timer)
  }
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const cancel = after(ms, () => {
          signal?.removeEventListener('abort', onAbort)
          resolve()
        })
        const onAbort = (): void => {
          cancel()
          reject(signal?.reason)
        }
        signal?.addEventListener('abort', onAbort, { once: true })
      }),
  }
}
