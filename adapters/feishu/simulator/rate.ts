import type { Clock } from '../../../src/protocol/ports.ts'

/** Sliding windows: how many calls a key made in the last `perMs`. */
export interface Rates {
  /** Counts a call and returns 0, or returns the milliseconds until there is room again. */
  take(key: string, calls: number, perMs: number): number
}

/** Starts empty; windows run by the monotonic clock. */
export function createRates(clock: Clock): Rates {
  const windows = new Map<string, number[]>()
  return {
    take: (key, calls, perMs) => {
      const now = clock.monotonic()
      const recent = (windows.get(key) ?? []).filter((at) => at > now - perMs)
      windows.set(key, recent)
      const oldest = recent[0]
      if (recent.length >= calls && oldest !== undefined) return Math.max(1, oldest + perMs - now)
      recent.push(now)
      return 0
    },
  }
}
