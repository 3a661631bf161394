/** Ends a run: one transaction closes its log and its row and queues its final messages. */

import { ANSWER_DEADLINE_MS } from '../outbound/deadlines.ts'
import { splitMarkdown } from '../outbound/split.ts'
import type { Adapter } from '../protocol/adapter.ts'
import { type Address, chatKey } from '../protocol/address.ts'
import type { LiveState } from '../protocol/outbound.ts'
import type { ScheduledPlan } from '../protocol/schedule.ts'
import type { RunOutcome, StoredEntry } from '../protocol/session-log.ts'
import type { Lease } from '../session/lease.ts'
import type { NewOutboxRow } from '../store/repositories/outbox.ts'
import { endRun } from '../store/repositories/runs.ts'
import { appendEntry } from '../store/repositories/session-log.ts'
import { setCompactRequested, setStopRequested } from '../store/repositories/sessions.ts'
import type { RunRow, SessionRow } from '../store/schema.ts'
import type { Db } from '../store/store.ts'
import { repaintCard } from './card-repaint.ts'
import type { WorkerDeps } from './deps.ts'

export interface Ending {
  readonly outcome: RunOutcome
  readonly reason: string | undefined
  /** Final state of the live message; undefined sends nothing, because the chat is gone. */
  readonly live: LiveState | undefined
}

/** Ends a run whose live message is settled. Nothing of it happens if the lease was lost. */
export async function finishRun(deps: WorkerDeps, lease: Lease, run: RunRow, ending: Ending): Promise<void> {
  const { session } = lease
  const address = addressOf(session)
  const adapter = deps.adapter(session.bot_id)
  const mails = ending.live && adapter ? await mailsOf(deps, run, address, adapter, ending.live) : []
  await deps.store.transaction(async (trx) => {
    await appendEnd(trx, lease, run, ending, deps.clock.now())
    await endRun(trx, run.id, ending.outcome, ending.reason, deps.clock.now())
    await setStopRequested(trx, session.id, false)
    if (session.compact_requested !== 0) await setCompactRequested(trx, session.id, false)
    for (const mail of mails) await deps.outbox.put(trx, mail)
  })
  deps.outbox.flush(chatKey(address))
  if (ending.outcome !== 'done') await takeBackApprovals(deps, run, adapter)
  deps.onRunEnded({
    sessionId: session.id,
    runId: run.id,
    platform: adapter?.platform ?? '',
    model: run.model ?? '',
    outcome: ending.outcome,
    ms: deps.clock.now() - run.started_at,
  })
}

/**
 * What the run asked for and did not use is taken back, and its cards say so (C8): a later click must not look
 * as if something happened.
 */
async function takeBackApprovals(deps: WorkerDeps, run: RunRow, adapter: Adapter | undefined): Promise<void> {
  try {
    const taken = await deps.approvals.cancelSession(run.session_id, 'system', { runId: run.id })
    if (adapter) for (const row of taken) await repaintCard(deps, adapter, row, run.id)
  } catch (error) {
    deps.logger.warn({ runId: run.id, error }, 'approvals of a run that ended could not be taken back yet')
  }
}

/** Ends a run that never got to show anything itself. */
export async function endRunWithText(
  deps: WorkerDeps,
  lease: Lease,
  run: RunRow,
  end: { outcome: RunOutcome; textKey: string | undefined; reason: string },
): Promise<void> {
  const text = deps.text(lease.session.bot_id)
  const live: LiveState | undefined =
    end.textKey === undefined
      ? undefined
      : {
          phase: end.outcome,
          label: text(`live.phase.${end.outcome}`),
          text: text(end.textKey),
          steps: [],
          todos: [],
        }
  await finishRun(deps, lease, run, { outcome: end.outcome, reason: end.reason, live })
}

async function mailsOf(
  deps: WorkerDeps,
  run: RunRow,
  address: Address,
  adapter: Adapter,
  live: LiveState,
): Promise<NewOutboxRow[]> {
  const plan = await deps.schedules.planOf(run.session_id, run.id)
  if (!plan) return finalMails(run, address, adapter, live)
  return plainMails(run, address, adapter, { live, notes: await plan.notes(), plan })
}

/** Messages of a scheduled run, which has no live message: the answer, then its notes. */
function plainMails(
  run: RunRow,
  address: Address,
  adapter: Adapter,
  { live, notes, plan }: { live: LiveState; notes: readonly string[]; plan: ScheduledPlan },
): NewOutboxRow[] {
  const text = [live.text, ...notes.map((note) => `> ${note}`), ...(live.footer ? [live.footer] : [])].join(
    '\n\n',
  )
  return splitMarkdown(text, adapter.capabilities).map((part, index) => ({
    key: `f-${run.id}-${index}`,
    address,
    sessionId: run.session_id,
    ref: `final:${run.id}`,
    priority: 'high',
    deadlineMs: plan.deliverWithinMs,
    payload: { message: { type: 'markdown', markdown: part } },
  }))
}

/** The final goes into the live message; what does not fit follows as further messages, in order. */
function finalMails(run: RunRow, address: Address, adapter: Adapter, live: LiveState): NewOutboxRow[] {
  const parts = splitMarkdown(live.text, adapter.capabilities)
  const envelope = run.reply_to === null ? {} : { replyTo: run.reply_to }
  return parts.map((part, index) => ({
    key: `f-${run.id}-${index}`,
    address,
    sessionId: run.session_id,
    ref: `final:${run.id}`,
    priority: 'high',
    deadlineMs: ANSWER_DEADLINE_MS,
    payload:
      index === 0
        ? { message: { type: 'live', live: { ...live, text: part }, ...envelope }, intoRun: run.id }
        : { message: { type: 'markdown', markdown: part, ...envelope } },
  }))
}

function appendEnd(db: Db, lease: Lease, run: RunRow, ending: Ending, now: number): Promise<StoredEntry> {
  const writer = { sessionId: run.session_id, epoch: lease.session.epoch, runId: run.id, fence: lease.fence }
  const reason = ending.reason === undefined ? {} : { reason: ending.reason }
  return appendEntry(
    db,
    writer,
    { type: 'run_ended', runId: run.id, outcome: ending.outcome, ...reason },
    now,
  )
}

/** The address in a session's row. */
export function addressOf(session: SessionRow): Address {
  return {
    botId: session.bot_id,
    chatId: session.chat_id,
    chatType: session.chat_type,
    ...(session.thread_id === null ? {} : { threadId: session.thread_id }),
  }
}
