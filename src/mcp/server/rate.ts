/** A bound on requests per caller and minute. */
import type { Clock } from '../../protocol/ports.ts'

export interface Rate {
  /** False when the caller has had its share of this minute. */
  take(caller: string): boolean
}

const WINDOW_MS = 60_000

export function createRate(clock: Clock, perMinute: number): Rate {
  const windows = new Map<string, { since: number; count: number }>()
  return {
    take: (caller) => {
      const now = clock.monotonic()
      const known = windows.get(caller)
      const window = known && now - known.since < WINDOW_MS ? known : { since: now, count: 0 }
      windows.set(caller, window)
      window.count += 1
      return window.count <= perMinute
    },
  }
}
