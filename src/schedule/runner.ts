/**
 * Slots from their start to the platform's confirmation. One slot of a schedule runs at a time; the
 * next begins when the one before is delivered or lost. Everything here may be done twice, by any
 * process: the rows decide.
 */
import { isChatGone } from '../outbound/outbox.ts'
import { AppError, isAppError } from '../protocol/errors.ts'
import { findInbox } from '../store/repositories/inbox.ts'
import { findRun } from '../store/repositories/runs.ts'
import { mailOfSlot, moveSlot, openSlots } from '../store/repositories/schedule-slots.ts'
import { findSchedule, updateSchedule } from '../store/repositories/schedules.ts'
import type { OutboxRow, RunRow, ScheduleRow, ScheduleSlotRow } from '../store/schema.ts'
import type { ScheduleDeps } from './deps.ts'
import { slotWords } from './description.ts'
import { errorText, notifyFailure } from './failure-notice.ts'
import { renderSlot } from './report-slot.ts'
import { refusalToRun } from './rights.ts'
import { createSemaphore } from './semaphore.ts'
import { outcomeOf, type SlotOutcome } from './slot-outcome.ts'
import { type Begun, beginSlot, inboxKey, RENDER_MS } from './slot-start.ts'
import { parseSpec } from './spec.ts'

/** Safe to call at any time, twice, and from any process. */
export interface Runner {
  /** Closes slots that are finished and starts the next one that may start. */
  advance(scheduleId: string): Promise<void>
  /** Starts a preview slot, which does not wait for the schedule's other slots. */
  beginAside(row: ScheduleRow, slot: ScheduleSlotRow): Promise<void>
  /** Waits for reports that are being rendered. */
  drain(): Promise<void>
}

/** Reports that are rendered at the same time. */
const RENDERERS = 4

/** A runner for all schedules of this process. */
export function createRunner(deps: ScheduleDeps): Runner {
  const turns = new Map<string, Promise<void>>()
  const rendering = new Map<string, Promise<void>>()
  const renderers = createSemaphore(RENDERERS)

  /** One change of a schedule at a time within this process; the rows guard against others. */
  const inTurn = (id: string, work: () => Promise<void>): Promise<void> => {
    const turn = (turns.get(id) ?? Promise.resolve()).catch(() => {}).then(work)
    turns.set(id, turn)
    const forget = (): void => {
      if (turns.get(id) === turn) turns.delete(id)
    }
    turn.then(forget, forget)
    return turn
  }

  const launch = async (begun: Begun, row: ScheduleRow, slot: ScheduleSlotRow): Promise<void> => {
    if (begun === 'run') await deps.queue.wake(slot.session_id)
    const key = `${slot.schedule_id}\n${slot.slot}`
    if (begun !== 'render' || rendering.has(key)) return
    const work = renderers
      .take(() => renderSlot(deps, row, slot))
      .catch((error: unknown) => closeUnrendered(deps, row, slot, error))
      .then(() => inTurn(row.id, () => advanceNow(row.id)))
      .catch((error: unknown) => deps.logger.error({ schedule: row.id, error }, 'a slot could not be closed'))
      .finally(() => rendering.delete(key))
    rendering.set(key, work)
  }

  const advanceNow = async (id: string): Promise<void> => {
    const row = await findSchedule(deps.store.db, id)
    for (const slot of await openSlots(deps.store.db, id)) {
      if (slot.state !== 'queued') await settle(deps, row, slot, launch)
    }
    if (row) await beginNext(deps, row, launch)
    else await dropQueued(deps, id)
  }

  return {
    advance: (id) => inTurn(id, () => advanceNow(id)),
    beginAside: (row, slot) =>
      inTurn(row.id, async () => {
        const begun = await deps.store.transaction((trx) => beginSlot(trx, deps, row, slot))
        await launch(begun, row, slot)
      }),
    drain: async () => {
      while (rendering.size > 0) await Promise.all(rendering.values())
    },
  }
}

type Launch = (begun: Begun, row: ScheduleRow, slot: ScheduleSlotRow) => Promise<void>

async function beginNext(deps: ScheduleDeps, row: ScheduleRow, launch: Launch): Promise<void> {
  const { db } = deps.store
  const own = (await openSlots(db, row.id)).filter((slot) => slot.kind !== 'preview')
  const [first] = own
  if (!first || own.some((slot) => slot.state !== 'queued')) return
  const refusal = await refusalToRun(db, deps.access, row)
  if (refusal) return refuse(deps, row, own, refusal)
  const begun = await deps.store.transaction((trx) => beginSlot(trx, deps, row, first))
  await launch(begun, row, first)
}

/** The schedule may not run: it is paused, what waited is closed, and its people are told. */
async function refuse(
  deps: ScheduleDeps,
  row: ScheduleRow,
  slots: readonly ScheduleSlotRow[],
  error: AppError,
): Promise<void> {
  const closed = {
    state: 'failed' as const,
    ended_at: deps.clock.now(),
    error: JSON.stringify(describe(error)),
  }
  for (const slot of slots) await moveSlot(deps.store.db, slot, ['queued'], closed)
  await pause(deps, row, error.code)
  await notifyFailure(deps, row, `${row.id}\n${slots[0]?.slot}\npaused`, (text) =>
    text('schedule.told.paused', { name: parseSpec(row.spec).name, id: row.id, why: errorText(error, text) }),
  )
}

async function dropQueued(deps: ScheduleDeps, id: string): Promise<void> {
  for (const slot of await openSlots(deps.store.db, id))
    await moveSlot(deps.store.db, slot, ['queued'], { state: 'skipped', ended_at: deps.clock.now() })
}

/** Pauses a schedule in the store; `reason` is an error code or `person`. */
export async function pause(deps: ScheduleDeps, row: ScheduleRow, reason: string): Promise<void> {
  const changes = { next_slot: null, next_due: null, next_at: null, updated_at: deps.clock.now() }
  await updateSchedule(deps.store.db, row.id, { state: 'paused', reason, ...changes })
}

/** Closes a slot whose run and messages are over; a slot that is not over stays. */
async function settle(
  deps: ScheduleDeps,
  row: ScheduleRow | undefined,
  slot: ScheduleSlotRow,
  launch: Launch,
): Promise<void> {
  const { db } = deps.store
  const isReport = slot.claimed_until > 0
  if (isReport && slot.state === 'running') return takeOver(deps, row, slot, launch)
  const run = await findRun(db, slot.run_id)
  if (slot.state === 'running') {
    if (!run) return closeDropped(deps, row, slot)
    if (run.ended_at === null) return
  }
  const mail = await mailOfSlot(db, slot)
  if (mail.some((one) => one.state === 'pending' || one.state === 'sending')) {
    await moveSlot(db, slot, ['running'], { state: 'sending' })
    return
  }
  await close(deps, row, slot, outcomeOf(slot, run, mail, deps.clock.now()), { run, mail })
}

/** A report whose renderer died is rendered again: reading twice does no harm. */
async function takeOver(
  deps: ScheduleDeps,
  row: ScheduleRow | undefined,
  slot: ScheduleSlotRow,
  launch: Launch,
): Promise<void> {
  const now = deps.clock.now()
  if (!row || slot.claimed_until > now) return
  if (await moveSlot(deps.store.db, slot, ['running'], { claimed_until: now + RENDER_MS }))
    await launch('render', row, slot)
}

/** The message was taken back before anybody read it: the chat was closed. */
async function closeDropped(
  deps: ScheduleDeps,
  row: ScheduleRow | undefined,
  slot: ScheduleSlotRow,
): Promise<void> {
  const message = await findInbox(deps.store.db, inboxKey(slot))
  if (message?.state === 'waiting') return
  const error = { code: 'schedule.dropped', message: 'the run was cancelled before it began', hint: '' }
  const outcome = { state: 'failed' as const, size: 0, deliveries: [], error, endedAt: deps.clock.now() }
  await close(deps, row, slot, outcome, { run: undefined, mail: [] })
}

async function closeUnrendered(
  deps: ScheduleDeps,
  row: ScheduleRow,
  slot: ScheduleSlotRow,
  cause: unknown,
): Promise<void> {
  if (!isAppError(cause)) deps.logger.error({ schedule: row.id, error: cause }, 'a report failed')
  const error = isAppError(cause)
    ? describe(cause)
    : { code: 'schedule.report_failed', message: String(cause), hint: '' }
  const outcome = { state: 'failed' as const, size: 0, deliveries: [], error, endedAt: deps.clock.now() }
  await close(deps, row, slot, outcome, { run: undefined, mail: [] })
}

async function close(
  deps: ScheduleDeps,
  row: ScheduleRow | undefined,
  slot: ScheduleSlotRow,
  outcome: SlotOutcome,
  proof: { run: RunRow | undefined; mail: readonly OutboxRow[] },
): Promise<void> {
  const closed = await moveSlot(deps.store.db, slot, ['running', 'sending'], {
    state: outcome.state,
    size: outcome.size,
    deliveries: JSON.stringify(outcome.deliveries),
    error: outcome.error && JSON.stringify(outcome.error),
    cost: proof.run?.cost ?? null,
    currency: proof.run?.currency ?? null,
    ended_at: outcome.endedAt,
  })
  if (!closed || !row) return
  deps.logger.info({ schedule: row.id, slot: slot.slot, outcome: outcome.state }, 'a slot is over')
  if (outcome.error && slot.kind !== 'preview') await reportLoss(deps, row, slot, outcome.error)
}

async function reportLoss(
  deps: ScheduleDeps,
  row: ScheduleRow,
  slot: ScheduleSlotRow,
  { code, message, hint }: NonNullable<SlotOutcome['error']>,
): Promise<void> {
  const error = new AppError(code, message, { hint })
  const gone = isChatGone(error) || code === 'schedule.chat_gone'
  if (gone) await pause(deps, row, code)
  const { name, timezone } = parseSpec(row.spec)
  const key = gone ? 'schedule.told.gone' : 'schedule.told.failed'
  await notifyFailure(deps, row, `${row.id}\n${slot.slot}\n${code}`, (text) =>
    text(key, {
      ...{ name, id: row.id, why: errorText(error, text) },
      slot: slotWords(deps, slot, timezone, text),
    }),
  )
}

function describe(error: AppError): { code: string; message: string; hint: string } {
  return { code: error.code, message: error.message, hint: error.hint }
}
