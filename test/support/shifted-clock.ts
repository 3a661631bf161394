/** Real time with another date: timers run as they do, the wall shows what a test says. */
import type { Clock } from '../../src/protocol/ports.ts'
import { createSystemClock } from '../../src/system/clock.ts'

export interface ShiftedClock extends Clock {
  /** Moves the wall; timers do not notice. */
  jumpTo(wall: number): void
  /**
   * What waiting for `ms` would do: the wall goes on, and every timer that falls due within fires now. For a
   * moment at which nothing is under way but what is waited for; time limits are timers too.
   */
  leap(ms: number): void
}

interface Timer {
  readonly due: number
  readonly fire: () => void
  cancel: () => void
}

/** Default: today. */
export function createShiftedClock(wall = Date.now()): ShiftedClock {
  const system = createSystemClock()
  const timers = new Set<Timer>()
  let shift = wall - system.now()
  let leapt = 0
  const monotonic = (): number => system.monotonic() + leapt
  const arm = (timer: Timer): void => {
    timer.cancel = system.after(Math.max(0, timer.due - monotonic()), () => {
      timers.delete(timer)
      timer.fire()
    })
  }
  const after: Clock['after'] = (ms, fire) => {
    const timer: Timer = { due: monotonic() + ms, fire, cancel: () => {} }
    timers.add(timer)
    arm(timer)
    return () => {
      timers.delete(timer)
      timer.cancel()
    }
  }
  return {
    now: () => system.now() + shift,
    monotonic,
    after,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const cancel = after(ms, resolve)
        const onAbort = (): void => {
          cancel()
          reject(signal?.reason)
        }
        signal?.addEventListener('abort', onAbort, { once: true })
      }),
    jumpTo: (next) => {
      shift = next - system.now()
    },
    leap: (ms) => {
      leapt += ms
      shift += ms
      const pending = [...timers].sort((a, b) => a.due - b.due)
      for (const timer of pending) timer.cancel()
      for (const timer of pending) arm(timer)
    },
  }
}
