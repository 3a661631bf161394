/** Tracks work that continues after an event was acknowledged: logs its errors, and lets a stop wait for it. */
import type { Logger } from '../protocol/ports.ts'

export interface Background {
  /** Tracks a piece of work; `what` names it in the log if it fails. */
  later(what: string, work: Promise<void>): void
  /** Resolves when nothing goes on any more. */
  drain(): Promise<void>
}

/** An empty set of background work. */
export function createBackground(logger: Logger): Background {
  const underWay = new Set<Promise<void>>()
  return {
    later: (what, work) => {
      const task = work.then(
        () => void underWay.delete(task),
        (error: unknown) => {
          underWay.delete(task)
          logger.error({ error }, `${what} failed after the acknowledgement`)
        },
      )
      underWay.add(task)
    },
    drain: async () => {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
