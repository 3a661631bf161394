/**
 * The approval core: one row per exact call that waits for a person, one winner per row, one use per
 * approval. It knows rows, time and who may decide; it refuses to know platforms, cards that were
 * painted, and how a call is run. Nothing waits in memory: a row can be decided after any number of
 * restarts, by any process.
 */
import type { Transaction } from 'kysely'
import type { Audit } from '../observability/audit.ts'
import type { Access } from '../policy/access.ts'
import type { Address } from '../protocol/address.ts'
import type { Clock, Logger, Random } from '../protocol/ports.ts'
import { type ApprovalsRepository, createApprovalRows } from '../store/repositories/approvals.ts'
import { mutedUntil, setMuted } from '../store/repositories/mutes.ts'
import type { ApprovalRow, Database } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import { type Decision, type DecisionInput, decideIn } from './decide.ts'
import { createForwardTime } from './forward-time.ts'
import { type Opened, type OpenInput, openIn } from './open.ts'
import { callOf } from './request.ts'

export interface ApprovalsDeps {
  readonly store: Pick<Store, 'db' | 'transaction'>
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly audit: Audit
  readonly access: Access
  readonly limits: { readonly expiresMs: number; readonly maxPendingPerChat: number }
  /**
   * Called after a row has left `pending` and the transaction is committed: wake the session, repaint
   * the card. It may fail; {@link Approvals.reconcile} finds what it missed.
   */
  readonly onSettled: (row: ApprovalRow) => Promise<void>
}

export interface Reconciled {
  /** Still open: their cards must be clickable. */
  readonly pending: readonly ApprovalRow[]
  /** Approved, not started: their sessions must be woken. */
  readonly approved: readonly ApprovalRow[]
  /** Settled within the last day: their cards must show it. */
  readonly settled: readonly ApprovalRow[]
}

export interface MuteWish {
  /** Length from the moment in which it was said, milliseconds; 0 ends a mute. */
  readonly ms: number
  /** How long ago it was said, milliseconds. */
  readonly agoMs: number
  readonly by: string
}

/** Every method is safe to call twice and from several processes: rows decide, never memory. */
export interface Approvals {
  /** Asks for one exact call. Asking again for the same call returns the same row, whatever its state. */
  open(input: OpenInput): Promise<Opened>
  /** Decides by card or by code. First wins; everybody else gets the recorded result. */
  decide(input: DecisionInput): Promise<Decision>
  /**
   * `approved → consumed`, inside the transaction that appends the intent entry. False when the
   * approval is not for this digest, was used, was taken back, has expired, or the session is being stopped.
   */
  consume(trx: Transaction<Database>, id: string, digest: string): Promise<boolean>
  /** Takes back what waits or is approved but not begun: of one session (or one of its runs), no other. */
  cancelSession(sessionId: string, by: string, only?: { readonly runId: string }): Promise<ApprovalRow[]>
  /** Takes back what waits or is approved but not begun for tools that are not what they were (M3). */
  cancelTools(tools: readonly string[], by: string): Promise<ApprovalRow[]>
  /**
   * Mutes approval requests in a chat for a while, with an audit row, in the caller's transaction. Pending requests
   * stay open. False if a newer mute or unmute exists; nothing is changed then.
   */
  mute(trx: Transaction<Database>, address: Address, wish: MuteWish): Promise<boolean>
  /** Until when nobody is asked in the chat; wall time, 0 or past when people are asked. */
  mutedUntil(address: Address): Promise<number>
  /** Settles what nobody answered, and what was approved and did not begin, in time; call it now and then. */
  expireDue(): Promise<ApprovalRow[]>
  pendingFor(sessionId: string): Promise<ApprovalRow[]>
  /** Whether a code was ever given out by this bot. */
  knowsCode(botId: string, code: string): Promise<boolean>
  byId(id: string): Promise<ApprovalRow | undefined>
  /** Newest row of a call. */
  byCall(sessionId: string, callId: string): Promise<ApprovalRow | undefined>
  /** What a run asked for last. */
  newestOf(runId: string): Promise<ApprovalRow | undefined>
  /** What a start must look after: see {@link Reconciled}. */
  reconcile(): Promise<Reconciled>
  /** The time that expiry is judged by. */
  now(): number
}

const BATCH = 200
const RECENT_MS = 24 * 3_600_000

/** Approvals over one store. Keeps nothing in memory, so any number of processes may share the store. */
export function createApprovals(deps: ApprovalsDeps): Approvals {
  const now = createForwardTime(deps.clock)
  const rows = createApprovalRows(deps.store.db)
  const settled = (changed: readonly ApprovalRow[]): Promise<void> => tell(deps, changed)
  const expireDue = async (): Promise<ApprovalRow[]> => {
    const due = await rows.due(now(), BATCH)
    const expired = await settleEach(
      deps,
      due,
      (trx, row) => trx.expire(row.id, now()),
      'approval.expired',
      'system',
    )
    await settled(expired)
    return expired
  }
  return {
    now,
    expireDue,
    byId: rows.byId,
    byCall: rows.byCall,
    newestOf: async (runId) => (await rows.ofRun(runId)).at(-1),
    pendingFor: (sessionId) => rows.ofSession(sessionId, ['pending']),
    knowsCode: async (botId, code) => (await rows.byCode(botId, code)) !== undefined,

    open: async (input) => {
      const opened = await deps.store.transaction((trx) => openIn(trx, { ...deps, now: now() }, input))
      if (opened.outcome === 'opened' && opened.replaced) await settled([opened.replaced])
      return opened
    },

    decide: async (input) => {
      const decision = await deps.store.transaction((trx) => decideIn(trx, { ...deps, now: now() }, input))
      if (decision.outcome === 'decided' || (decision.outcome === 'expired' && decision.changed)) {
        await settled([decision.row])
      }
      return decision
    },

    consume: (trx, id, digest) => consumeIn(trx, id, digest, now()),

    cancelSession: async (sessionId, by, only) => {
      const cancelled = await cancelIn(deps, sessionId, by, only?.runId, now())
      await settled(cancelled)
      return cancelled
    },

    cancelTools: async (tools, by) => {
      const open = [
        ...(await rows.withStatus('pending', BATCH)),
        ...(await rows.withStatus('approved', BATCH)),
      ]
      const theirs = open.filter((row) => tools.includes(callOf(row).tool))
      const cancel = (trx: ApprovalsRepository, row: ApprovalRow): Promise<boolean> =>
        trx.cancel(row.id, by, null, now())
      const cancelled = await settleEach(deps, theirs, cancel, 'approval.cancelled', by)
      await settled(cancelled)
      return cancelled
    },

    mutedUntil: (address) => mutedUntil(deps.store.db, address),
    mute: async (trx, address, { ms, agoMs, by }) => {
      const saidAt = now() - agoMs
      const until = ms === 0 ? 0 : saidAt + ms
      if (!(await setMuted(trx, address, { until, saidAt, by }, now()))) return false
      const subject = `${address.botId}:${address.chatId}`
      await deps.audit.append(trx, { actor: by, action: 'approval.muted', subject, detail: { until } })
      return true
    },

    reconcile: async () => {
      await expireDue()
      return {
        pending: await rows.withStatus('pending', BATCH),
        approved: await rows.withStatus('approved', BATCH),
        settled: await rows.decidedSince(now() - RECENT_MS, BATCH),
      }
    },
  }
}

async function tell(
  deps: Pick<ApprovalsDeps, 'onSettled' | 'logger'>,
  changed: readonly ApprovalRow[],
): Promise<void> {
  for (const row of changed) {
    try {
      await deps.onSettled(row)
    } catch (error) {
      // The decision stands: it is committed, and reconcile() repairs card and wake-up.
      deps.logger.warn({ approval: row.id, error }, 'could not tell others about a settled approval')
    }
  }
}

/** Reads the stop request in the transaction that would use the approval: the later one wins. */
async function consumeIn(
  trx: Transaction<Database>,
  id: string,
  digest: string,
  now: number,
): Promise<boolean> {
  const rows = createApprovalRows(trx)
  const row = await rows.byId(id)
  const session = row && (await rows.session(row.session_id))
  if (session?.stop_requested !== 0) return false
  return rows.consume(id, digest, now)
}

async function cancelIn(
  deps: Pick<ApprovalsDeps, 'store' | 'audit' | 'logger'>,
  sessionId: string,
  by: string,
  runId: string | undefined,
  now: number,
): Promise<ApprovalRow[]> {
  const open = await createApprovalRows(deps.store.db).ofSession(sessionId, ['pending', 'approved'])
  const mine = runId === undefined ? open : open.filter((row) => row.run_id === runId)
  return settleEach(deps, mine, (rows, row) => rows.cancel(row.id, by, null, now), 'approval.cancelled', by)
}

/**
 * Applies one compare-and-set to each row with its audit row; returns those it changed. A row that cannot be
 * changed is said in the log and does not keep the others waiting; it is met again at the next look.
 */
async function settleEach(
  deps: Pick<ApprovalsDeps, 'store' | 'audit' | 'logger'>,
  candidates: readonly ApprovalRow[],
  change: (rows: ApprovalsRepository, row: ApprovalRow) => Promise<boolean>,
  action: string,
  actor: string,
): Promise<ApprovalRow[]> {
  const changed: ApprovalRow[] = []
  for (const candidate of candidates) {
    const row = await settleOne(deps, candidate, change, { action, actor }).catch((error: unknown) => {
      deps.logger.error({ approval: candidate.id, action, error }, 'an approval could not be settled')
      return undefined
    })
    if (row) changed.push(row)
  }
  return changed
}

function settleOne(
  deps: Pick<ApprovalsDeps, 'store' | 'audit'>,
  candidate: ApprovalRow,
  change: (rows: ApprovalsRepository, row: ApprovalRow) => Promise<boolean>,
  { action, actor }: { readonly action: string; readonly actor: string },
): Promise<ApprovalRow | undefined> {
  return deps.store.transaction(async (trx) => {
    const rows = createApprovalRows(trx)
    if (!(await change(rows, candidate))) return undefined
    const detail = { session: candidate.session_id }
    await deps.audit.append(trx, { actor, action, subject: candidate.id, detail })
    return rows.byId(candidate.id)
  })
}
