/**
 * Handles woken sessions: takes the lease, opens or resumes a run, runs the engine over the log, ends or suspends the
 * run, and releases the lease. It knows leases and runs; it refuses to know platforms, models and tools beyond
 * passing them on.
 */
import type { UserKey } from '../protocol/address.ts'
import { isAppError } from '../protocol/errors.ts'
import type { MessageEvent } from '../protocol/inbound.ts'
import type { Handler } from '../queue/queue.ts'
import { type Lease, STOP_REQUESTED, takeLease } from '../session/lease.ts'
import { closeInbox, waitingMessages } from '../store/repositories/inbox.ts'
import {
  countCrash,
  findRun,
  insertRun,
  openRun,
  recentRuns,
  setRunState,
} from '../store/repositories/runs.ts'
import { readPeople } from '../store/repositories/session-log.ts'
import { findSession, setStopRequested } from '../store/repositories/sessions.ts'
import type { InboxRow, RunRow } from '../store/schema.ts'
import type { WorkerDeps } from './deps.ts'
import { addressOf, endRunWithText } from './ending.ts'
import { dropOldMessages } from './old-messages.ts'
import { createPauses } from './pauses.ts'
import { executeRun, type RunDeps } from './run.ts'

/** At most one run a session in the whole service: the lease decides. */
export interface Worker {
  /** Does everything the session has to do right now, if this process can send where it happens. */
  handle: Handler
  /** Stops the session's run in this process at once; other processes see the flag in the row. */
  interrupt(sessionId: string, code: string): void
  /** Cuts running work short at its next step; it goes on after the next start. */
  stop(): void
}

/** After this many crashes in a row by the same run it is not tried again. */
const MOST_CRASHES = 3

/** The worker of one process. */
export function createWorker(deps: WorkerDeps): Worker {
  const leases = new Map<string, Lease>()
  const leaving = new AbortController()
  const pauses = createPauses(deps)
  const runDeps = { ...deps, leaving: leaving.signal, pauses }

  const handle: Handler = async (sessionId) => {
    if (leaving.signal.aborted || !(await canSend(deps, sessionId))) return 'elsewhere'
    if (await pauses.holds(sessionId)) return 'done'
    const lease = await takeLease(
      { store: deps.store, owner: deps.owner, clock: deps.clock, logger: deps.logger },
      sessionId,
    )
    if (!lease) return 'done'
    leases.set(sessionId, lease)
    try {
      while (!leaving.signal.aborted && !isLost(lease) && (await workOnce(runDeps, lease)) === 'again');
      pauses.over(sessionId)
    } finally {
      leases.delete(sessionId)
      await lease.release()
    }
    return 'done'
  }

  return {
    handle,
    interrupt: (sessionId, code) => leases.get(sessionId)?.abort(deps.reason(code)),
    stop: () => {
      leaving.abort()
      for (const lease of leases.values()) lease.abort(deps.reason('worker.stopping'))
    },
  }
}

/** A connection that only one process may hold belongs to the process that also has to send over it. */
async function canSend(deps: WorkerDeps, sessionId: string): Promise<boolean> {
  const session = await findSession(deps.store.db, sessionId)
  if (!session) return true
  const adapter = deps.adapter(session.bot_id)
  return adapter?.sendsHere === undefined || adapter.sendsHere(addressOf(session))
}

function isLost(lease: Lease): boolean {
  return isAppError(lease.signal.reason, 'session.lease_lost')
}

/** One run, or nothing. `again` when there may be more to do. */
async function workOnce(deps: RunDeps, lease: Lease): Promise<'again' | 'idle'> {
  const { db } = deps.store
  const sessionId = lease.session.id
  const open = await openRun(db, sessionId)
  const waiting = await waitingMessages(db, sessionId)
  if (lease.session.closed_reason !== null) return closeSession(deps, lease, open, waiting)
  if (!open && waiting.length === 0) {
    await deps.store.statementSoon((db) => setStopRequested(db, sessionId, false))
    return 'idle'
  }
  if (!open && (await dropOldMessages(deps, waiting))) return 'again'
  if (open?.state === 'suspended') {
    const stopped = lease.session.stop_requested !== 0
    if (!stopped && lease.session.wait_until > deps.clock.now()) return 'idle'
    if (!stopped && (await deps.approvals.pendingFor(sessionId)).length > 0) return 'idle'
    await setRunState(db, open.id, 'running')
  } else if (open && !deps.pauses.wasRefused(sessionId) && (await countCrash(db, open.id)) >= MOST_CRASHES) {
    return park(deps, lease, open, waiting)
  }
  if (lease.session.stop_requested !== 0 && open) lease.abort(deps.reason(STOP_REQUESTED))
  // A conversation that began anew while this lease was held is not what the lease knows.
  if (!open && (await findSession(db, sessionId))?.epoch !== lease.session.epoch) {
    await deps.queue.wake(sessionId)
    return 'idle'
  }
  // What a message refers to is fetched while the run is being opened.
  for (const row of waiting) deps.input.prefetch(row)
  const run = open ?? (await startRun(deps, lease, waiting))
  const outcome = await executeRun(deps, lease, run)
  const [first] = waiting
  if (outcome === 'ended' && !open && first) await giveUpUnread(deps, run, first)
  // A lease whose signal has aborted can start nothing more, and one that summed the conversation up would
  // do it again; whoever comes next takes a fresh one.
  const isSpent = lease.signal.aborted || lease.session.compact_requested !== 0
  if (outcome === 'ended' && isSpent) await deps.queue.wake(sessionId)
  return outcome === 'ended' && !isSpent ? 'again' : 'idle'
}

async function startRun(deps: WorkerDeps, lease: Lease, waiting: readonly InboxRow[]): Promise<RunRow> {
  const first = JSON.parse(waiting[0]?.payload ?? '{}') as MessageEvent
  const { scheduled } = first
  const run = {
    // A run that ended without reading its message is followed by another, under an id of its own.
    id: scheduled && !(await findRun(deps.store.db, scheduled.runId)) ? scheduled.runId : deps.random.id(),
    sessionId: lease.session.id,
    requester: first.sender.user satisfies UserKey,
    replyTo: scheduled || first.replyTo === '' ? undefined : first.replyTo,
    model: lease.session.model ?? deps.models.defaultName,
  }
  return deps.store.statementSoon((db) => insertRun(db, run, deps.clock.now()))
}

/** Closes a message whose runs kept failing before they read it; its sender has been told. */
async function giveUpUnread(deps: WorkerDeps, run: RunRow, first: InboxRow): Promise<void> {
  const failed = (await recentRuns(deps.store.db, run.session_id, MOST_CRASHES)).filter(
    (one) =>
      one.state === 'failed' &&
      one.requester === run.requester &&
      one.reply_to === run.reply_to &&
      one.started_at >= first.received_at,
  )
  if (failed.length < MOST_CRASHES || (await closeInbox(deps.store.db, [first.id], 'taken')) === 0) return
  deps.logger.error({ sessionId: run.session_id }, 'a message was given up that three runs could not read')
}

/**
 * Ends a run that has crashed its worker {@link MOST_CRASHES} times, with a message to the chat, so that the session
 * can go on. Of the waiting messages only the one that started the run is closed, if it was never read.
 */
async function park(
  deps: WorkerDeps,
  lease: Lease,
  run: RunRow,
  waiting: readonly InboxRow[],
): Promise<'again'> {
  deps.logger.error({ runId: run.id, sessionId: run.session_id }, 'a run was given up after three crashes')
  const unread = await unreadBy(deps, run, waiting)
  await closeInbox(deps.store.db, unread ? [unread.id] : [], 'taken')
  await endRunWithText(deps, lease, run, { outcome: 'failed', textKey: 'run.parked', reason: 'crashed' })
  return 'again'
}

/** The waiting message for which a run was begun; undefined once it has read anything. */
async function unreadBy(
  deps: WorkerDeps,
  run: RunRow,
  waiting: readonly InboxRow[],
): Promise<InboxRow | undefined> {
  if ((await readPeople(deps.store.db, run.session_id, run.id)).length > 0) return undefined
  return waiting.find((row) => {
    const { sender, scheduled, replyTo } = JSON.parse(row.payload) as MessageEvent
    return sender.user === run.requester && (scheduled ? null : replyTo || null) === run.reply_to
  })
}

/** The chat is gone: nothing is answered, nothing stays open. */
async function closeSession(
  deps: WorkerDeps,
  lease: Lease,
  run: RunRow | undefined,
  waiting: readonly InboxRow[],
): Promise<'idle'> {
  await closeInbox(
    deps.store.db,
    waiting.map((row) => row.id),
    'dropped',
  )
  if (run)
    await endRunWithText(deps, lease, run, {
      outcome: 'stopped',
      textKey: undefined,
      reason: lease.session.closed_reason ?? 'closed',
    })
  await setStopRequested(deps.store.db, lease.session.id, false)
  await deps.onSessionClosed?.(lease.session.id)
  return 'idle'
}
