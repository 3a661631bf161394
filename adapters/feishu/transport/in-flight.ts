import type { Clock } from '../../../src/protocol/ports.ts'

/** Handlers that have begun and not ended. */
export interface InFlight {
  /** Counts `work` as running until it settles. */
  track<T>(work: () => Promise<T>): Promise<T>
  /** Resolves when nothing runs any more, or after `ms`. */
  drained(ms: number): Promise<void>
}

/** Counts running handlers, so that a stop can wait for them. */
export function createInFlight(clock: Clock): InFlight {
  let running = 0
  let onDrained: (() => void) | undefined
  return {
    track: async (work) => {
      running += 1
      try {
        return await work()
      } finally {
        running -= 1
        if (running === 0) onDrained?.()
      }
    },
    drained: async (ms) => {
      if (running === 0) return
      const drained = Promise.withResolvers<void>()
      onDrained = drained.resolve
      const cancel = clock.after(ms, drained.resolve)
      await drained.promise
      cancel()
    },
  }
}
