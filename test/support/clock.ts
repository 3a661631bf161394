import type { Clock } from '../../src/protocol/ports.ts'
import { settle } from './settle.ts'

export interface ManualClock extends Clock {
  /** Moves time and fires what falls due, in order, letting promises settle after each. */
  advance(ms: number): Promise<void>
  /** Moves wall time only, as an administrator or NTP does. Timers do not notice. */
  jump(ms: number): void
  /** Timers that have not fired yet. */
  pending(): number
}

/** A clock that stands still until a test moves it. */
export function createManualClock(start = Date.UTC(2026, 0, 5, 1, 0, 0)): ManualClock {
  let wall = start
  let mono = 0
  let next = 0
  const timers = new Map<number, { at: number; fn: () => void }>()
  const after = (ms: number, fn: () => void): (() => void) => {
    const id = next++
    timers.set(id, { at: mono + Math.max(0, ms), fn })
    return () => timers.delete(id)
  }
  return {
    now: () => wall,
    monotonic: () => mono,
    after,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const cancel = after(ms, resolve)
        signal?.addEventListener(
          'abort',
          () => {
            cancel()
            reject(signal.reason)
          },
          { once: true },
        )
      }),
    jump: (ms) => {
      wall += ms
    },
    pending: () => timers.size,
    advance: async (ms) => {
      const end = mono + ms
      await settle()
      for (;;) {
        const due = [...timers.entries()]
          .filter(([, t]) => t.at <= end)
          .sort((a, b) => a[1].at - b[1].at || a[0] - b[0])[0]
        if (!due) break
        timers.delete(due[0])
        wall += Math.max(0, due[1].at - mono)
        mono = Math.max(mono, due[1].at)
        due[1].fn()
        await settle()
      }
      wall += end - mono
      mono = end
      await settle()
    },
  }
}
