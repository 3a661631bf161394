/**
 * Runs whose model was asked for words that the store then had no room for. They go on by themselves, but after
 * growing pauses: every attempt asks the model again, and its tokens are paid for. In memory, because a full disk
 * keeps no date, and each process for itself.
 */
import type { Clock } from '../protocol/ports.ts'
import { waitingMessages } from '../store/repositories/inbox.ts'
import { findSession } from '../store/repositories/sessions.ts'
import type { Store } from '../store/store.ts'

export interface Pauses {
  /** The store refused what the session's run had to keep; `asked`: only after its model was asked. */
  refused(sessionId: string, asked: boolean): void
  /** True while the store's refusal was the last that was heard of the session's run. */
  wasRefused(sessionId: string): boolean
  /** True while the run waits, and nobody has written, asked it to stop or closed the chat since. */
  holds(sessionId: string): Promise<boolean>
  /** The session was worked on, and nothing was refused. */
  over(sessionId: string): void
}

interface Pause {
  /** Wall time of the refusal. */
  readonly since: number
  /** Monotonic. */
  readonly until: number
  readonly ms: number
}

const FIRST_MS = 20_000
const LONGEST_MS = 600_000

export function createPauses({ store, clock }: { store: Pick<Store, 'db'>; clock: Clock }): Pauses {
  const pauses = new Map<string, Pause>()
  return {
    refused: (sessionId, asked) => {
      const before = pauses.get(sessionId)?.ms ?? 0
      const ms = asked ? Math.min(Math.max(FIRST_MS, before * 2), LONGEST_MS) : before
      const until = clock.monotonic() + (asked ? ms : 0)
      pauses.set(sessionId, { since: clock.now(), until, ms })
    },
    wasRefused: (sessionId) => pauses.has(sessionId),
    holds: async (sessionId) => {
      const pause = pauses.get(sessionId)
      if (!pause || clock.monotonic() >= pause.until) return false
      const session = await findSession(store.db, sessionId)
      if (session?.stop_requested !== 0 || session.closed_reason !== null) return false
      const waiting = await waitingMessages(store.db, sessionId)
      return !waiting.some((row) => row.received_at >= pause.since)
    },
    over: (sessionId) => {
      pauses.delete(sessionId)
    },
  }
}
