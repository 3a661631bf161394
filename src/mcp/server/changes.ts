/** Wakes everybody who waits for a change; each then checks again. */
import type { Clock } from '../../protocol/ports.ts'

export interface Changes {
  tell(): void
  /** Resolves at the next bell, after `ms`, or when the signal aborts. */
  next(ms: number, signal: AbortSignal): Promise<void>
}

/** Only within this process; what another process changed, a waiting one finds by looking. */
export function createChanges(clock: Clock): Changes {
  const waiting = new Set<() => void>()
  return {
    tell: () => {
      for (const wake of waiting) wake()
    },
    next: (ms, signal) =>
      new Promise((resolve) => {
        const done = (): void => {
          waiting.delete(done)
          cancel()
          signal.removeEventListener('abort', done)
          resolve()
        }
        const cancel = clock.after(ms, done)
        waiting.add(done)
        signal.addEventListener('abort', done, { once: true })
        if (signal.aborted) done()
      }),
  }
}
