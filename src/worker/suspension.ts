/** Suspends a run at an approval and resumes its live message afterwards. */

import { UPDATE_DEADLINE_MS } from '../outbound/deadlines.ts'
import type { Live } from '../outbound/live.ts'
import type { Adapter } from '../protocol/adapter.ts'
import { type Address, chatKey } from '../protocol/address.ts'
import type { Card } from '../protocol/card.ts'
import type { LiveStep, SentMessage } from '../protocol/outbound.ts'
import { laterOf } from '../protocol/schedule.ts'
import type { StoredEntry } from '../protocol/session-log.ts'
import type { Lease } from '../session/lease.ts'
import type { WaitingTime } from '../session/view.ts'
import {
  findMail,
  findMailByKey,
  type NewOutboxRow,
  type OutboxPayload,
  parseSent,
} from '../store/repositories/outbox.ts'
import { clearCrashes, type LiveHandle, parseLive, setRunState } from '../store/repositories/runs.ts'
import { setWaitUntil } from '../store/repositories/sessions.ts'
import type { ApprovalRow, RunRow } from '../store/schema.ts'
import { repaintCard } from './card-repaint.ts'
import type { WorkerDeps } from './deps.ts'
import { addressOf } from './ending.ts'
import { snapshotText } from './snapshot.ts'

/** Sends the approval card and leaves the run suspended, in one transaction. */
export async function suspendRun(
  deps: WorkerDeps,
  lease: Lease,
  run: RunRow,
  live: Live,
  approvalId: string,
): Promise<void> {
  const address = addressOf(lease.session)
  const later = laterOf(approvalId)
  if (later !== undefined) return sleepRun(deps, run, later)
  const adapter = deps.adapter(address.botId)
  const row = await deps.approvals.byId(approvalId)
  if (!adapter || !row) return
  const mails: NewOutboxRow[] = []
  const base = { address, sessionId: run.session_id, priority: 'high' as const }
  const envelope = run.reply_to === null ? {} : { replyTo: run.reply_to }
  const { card, attachment } = await deps.faces.pending(row, adapter)
  const deadlineMs = Math.max(60_000, row.expires_at - deps.clock.now())

  const sent = live.handle()?.sent
  if (sent) {
    const message = { type: 'live' as const, live: live.state(), ...envelope }
    mails.push({
      ...base,
      key: `w-${approvalId}`,
      ref: `live:${run.id}`,
      deadlineMs,
      payload: { message, update: sent },
    })
  }
  if (attachment) {
    const file = await snapshotText(deps.dataDir, lease.session.id, attachment, deps.random)
    mails.push({
      ...base,
      key: `a-${approvalId}`,
      ref: `attachment:${approvalId}`,
      deadlineMs,
      payload: { message: { type: 'file', file, ...envelope } },
    })
  }
  mails.push({
    ...base,
    key: `c-${approvalId}`,
    ref: `card:${approvalId}`,
    deadlineMs,
    // Better two cards than none: a lost card would leave the run waiting unseen, and one click decides either.
    payload: { message: { type: 'card', card, ...envelope }, repeatable: true },
  })

  await deps.store.transaction(async (trx) => {
    await setRunState(trx, run.id, 'suspended')
    await clearCrashes(trx, run.id)
    for (const mail of mails) await deps.outbox.put(trx, mail)
  })
  deps.outbox.flush(chatKey(address))
}

/** Outside working hours: the run sleeps until `until` and asks then. */
async function sleepRun(deps: WorkerDeps, run: RunRow, until: number): Promise<void> {
  await deps.store.transaction(async (trx) => {
    await setRunState(trx, run.id, 'suspended')
    await clearCrashes(trx, run.id)
    await setWaitUntil(trx, run.session_id, until)
  })
}

/** The card of a decision that a run without a running message waited for shows how it ended. */
export async function repaintDecided(
  deps: WorkerDeps,
  adapter: Adapter,
  run: RunRow,
  entries: readonly StoredEntry[],
): Promise<void> {
  const row = await askedLast(deps, run, entries)
  if (row && row.status !== 'pending') await repaintCard(deps, adapter, row, run.id)
}

export interface Resumption {
  readonly handle: LiveHandle | undefined
  readonly head: Card | undefined
  readonly steps: readonly LiveStep[]
}

/**
 * Where a run's picture goes on: in the card of the approval that was just decided, where the
 * platform can; in a fresh message below it, where it cannot; in its old message after a crash.
 */
export async function resumption(
  deps: WorkerDeps,
  adapter: Adapter,
  run: RunRow,
  entries: readonly StoredEntry[],
): Promise<Resumption> {
  const known = parseLive(run)
  const row = await askedLast(deps, run, entries)
  if (!row || row.status === 'pending') return { handle: known, head: undefined, steps: [] }
  const approvalId = row.id
  if (known?.sent && known.approvalId !== approvalId) await pointBelow(deps, run, known.sent, approvalId)
  const generation = (known?.generation ?? 0) + 1
  const mail = await findMail(deps.store.db, `card:${approvalId}`)
  const card = mail && parseSent(mail)
  const head = deps.faces.decided(row, adapter)
  if (known?.approvalId === approvalId) {
    const isInCard = card !== undefined && known.sent?.messageId === card.messageId
    return { handle: known, head: isInCard ? head : undefined, steps: [] }
  }
  if (card && adapter.capabilities.continueInCard)
    return { handle: { generation, sent: card, approvalId }, head, steps: [] }
  await repaintCard(deps, adapter, row, run.id)
  return { handle: { generation, approvalId }, head: undefined, steps: [] }
}

/** Updates the old live message to say that the run continues in a new message below. */
async function pointBelow(
  deps: WorkerDeps,
  run: RunRow,
  sent: SentMessage,
  approvalId: string,
): Promise<void> {
  const mail = await findMailByKey(deps.store.db, `w-${approvalId}`)
  const payload = mail && (JSON.parse(mail.payload) as OutboxPayload)
  if (!mail || payload?.message.type !== 'live') return
  const label = deps.text(mail.bot_id)('live.continued_below')
  const message = { ...payload.message, live: { ...payload.message.live, phase: 'done' as const, label } }
  await deps.outbox.put(deps.store.db, {
    key: `m-${approvalId}`,
    address: JSON.parse(mail.address) as Address,
    sessionId: run.session_id,
    ref: `live:${run.id}`,
    priority: 'low',
    deadlineMs: UPDATE_DEADLINE_MS,
    payload: { message, update: sent },
  })
  deps.outbox.flush(mail.chat_key)
}

/** From when what the run asked for last was open until it was decided, or ran out; undefined when it asked for nothing. */
export async function waitingTime(
  deps: WorkerDeps,
  run: RunRow,
  entries: readonly StoredEntry[],
): Promise<WaitingTime | undefined> {
  const approvalId = lastAsk(entries, run.id)
  const row = approvalId === undefined ? undefined : await deps.approvals.byId(approvalId)
  return row && { from: row.created_at, to: row.decided_at ?? row.expires_at }
}

/**
 * The newest approval that this run asked for. With /new the entries of a run that waited are not those of the
 * conversation any more, but its card is still there.
 */
async function askedLast(
  { approvals }: Pick<WorkerDeps, 'approvals'>,
  run: RunRow,
  entries: readonly StoredEntry[],
): Promise<ApprovalRow | undefined> {
  const id = lastAsk(entries, run.id)
  if (id !== undefined) return approvals.byId(id)
  return run.state === 'suspended' ? approvals.newestOf(run.id) : undefined
}

/** The newest approval in these entries of the run. */
function lastAsk(entries: readonly StoredEntry[], runId: string): string | undefined {
  const ask = entries.findLast((stored) => stored.runId === runId && stored.entry.type === 'ask')
  return ask?.entry.type === 'ask' ? ask.entry.approvalId : undefined
}
