/**
 * The exclusive right to work on a session. One worker holds it at a time, renews it, and passes its fencing number
 * with every write; after it is lost, the signal aborts and the store refuses writes with the old number.
 */
import { AppError } from '../protocol/errors.ts'
import type { Clock, Logger } from '../protocol/ports.ts'
import { acquireLease, releaseLease, renewLease } from '../store/repositories/sessions.ts'
import type { SessionRow } from '../store/schema.ts'
import type { Store } from '../store/store.ts'

/** Held until it is released, lost or aborted; `fence` goes along with every write. */
export interface Lease {
  readonly session: SessionRow
  readonly fence: number
  /** Aborts when the lease is lost, when /stop was asked for, or when the holder aborts it itself. */
  readonly signal: AbortSignal
  /** False once the lease has expired by the clock: a process that was frozen sees this before its timers run. */
  isHeld(): boolean
  abort(reason: Error): void
  release(): Promise<void>
}

/** Reason of an abort that somebody asked for with /stop. */
export const STOP_REQUESTED = 'session.stop_requested'

const TTL_MS = 30_000
const RENEW_MS = 5_000

/**
 * Takes the session's lease; undefined when another worker holds it. The row need not be flushed to disk at once: a
 * power cut that loses it also ends its holder.
 */
export async function takeLease(
  deps: { store: Store; owner: string; clock: Clock; logger: Logger },
  sessionId: string,
): Promise<Lease | undefined> {
  const { store, clock } = deps
  let since = clock.now()
  const session = await store.statementSoon((db) => acquireLease(db, sessionId, deps.owner, since, TTL_MS))
  if (!session) return undefined
  const aborter = new AbortController()
  const key = { id: sessionId, fence: session.fence }
  let cancel: (() => void) | undefined
  let released = false

  const renew = async (): Promise<void> => {
    try {
      const now = clock.now()
      const kept = await store.statementSoon((db) => renewLease(db, key, now, TTL_MS))
      if (released) return
      if (kept) since = now
      if (!kept)
        aborter.abort(new AppError('session.lease_lost', `another worker took over session ${sessionId}`))
      else if (kept.stopRequested) aborter.abort(new AppError(STOP_REQUESTED, 'stopped by a person'))
    } catch (error) {
      deps.logger.warn({ sessionId, error }, 'the lease could not be renewed; will try again')
    }
    if (!released && !aborter.signal.aborted) cancel = clock.after(RENEW_MS, () => void renew())
  }
  cancel = clock.after(RENEW_MS, () => void renew())

  return {
    session,
    fence: session.fence,
    signal: aborter.signal,
    isHeld: () => !released && clock.now() < since + TTL_MS,
    abort: (reason) => aborter.abort(reason),
    release: async () => {
      released = true
      cancel?.()
      await store.statementSoon((db) => releaseLease(db, key))
    },
  }
}
