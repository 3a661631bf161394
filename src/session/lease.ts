/**
 * The right to work on a session. Held by one worker at a time, proven by a fence that every write
 * carries, renewed while it is held. Losing it aborts the work; nothing of it can be written any more.
 */
import { AppError } from '../protocol/errors.ts'
import type { Clock, Logger } from '../protocol/ports.ts'
import { acquireLease, releaseLease, renewLease } from '../store/repositories/sessions.ts'
import type { SessionRow } from '../store/schema.ts'
import type { Store } from '../store/store.ts'

export interface Lease {
  readonly session: SessionRow
  readonly fence: number
  /** Aborts when the lease is lost, when /stop was asked for, or when the holder aborts it itself. */
  readonly signal: AbortSignal
  /** False once somebody else may have it: a process that stood still learns it here before its timers run. */
  isHeld(): boolean
  abort(reason: Error): void
  release(): Promise<void>
}

/** Reason of an abort that somebody asked for with /stop. */
export const STOP_REQUESTED = 'session.stop_requested'

const TTL_MS = 30_000
const RENEW_MS = 5_000

/**
 * Takes the session's lease; undefined when another worker holds it. A power cut may forget a lease: it takes
 * the holder along, and whoever starts next finds the session free.
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
