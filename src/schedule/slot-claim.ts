/**
 * Claims due schedules. One transaction advances each schedule and inserts its slots. Any number of processes may
 * try at once: the compare-and-set on the schedule's next time and the unique slot key let exactly one succeed.
 */
import { scheduleSession } from '../protocol/schedule.ts'
import { insertSlot, moveSlot, openSlots } from '../store/repositories/schedule-slots.ts'
import { advanceSchedule, dueSchedules, updateSchedule } from '../store/repositories/schedules.ts'
import { setStopRequested } from '../store/repositories/sessions.ts'
import type { ScheduleRow, ScheduleSlotRow } from '../store/schema.ts'
import type { Db } from '../store/store.ts'
import type { ScheduleDeps } from './deps.ts'
import { type FirePlan, type PlannedSlot, planFire } from './fire-plan.ts'
import type { ScheduleSpec, SlotNote } from './spec.ts'

/** Schedules taken in one transaction. */
const BATCH = 50

export interface Claimed {
  /** Schedules that may have a slot to start. */
  readonly ids: readonly string[]
  /** Sessions whose run must stop, because a newer slot replaces it (`overlap: replace`). */
  readonly replaced: readonly string[]
  /** True when there may be more that is due. */
  readonly more: boolean
}

/** Claims one batch of due schedules; call again while `more` is true. */
export async function claimDue(deps: ScheduleDeps): Promise<Claimed> {
  const now = deps.clock.now()
  const due = await dueSchedules(deps.store.db, now, BATCH)
  if (due.length === 0) return { ids: [], replaced: [], more: false }
  const plans: { row: ScheduleRow; plan: FirePlan }[] = []
  for (const row of due) {
    const plan = await planOrPause(deps, row, now)
    if (plan) plans.push({ row, plan })
  }
  const ids: string[] = []
  const replaced: string[] = []
  await deps.store.transaction(async (trx) => {
    for (const { row, plan } of plans) {
      if (!(await advanceSchedule(trx, row, plan.next))) continue
      ids.push(row.id)
      replaced.push(...(await placeSlots(trx, deps, row, plan, now)))
    }
  })
  return { ids, replaced, more: due.length === BATCH }
}

/** A row that cannot be read must not stop the others: it is paused, and the log says why. */
async function planOrPause(deps: ScheduleDeps, row: ScheduleRow, now: number): Promise<FirePlan | undefined> {
  try {
    return planFire(deps.times, row, now)
  } catch (error) {
    deps.logger.error({ schedule: row.id, error }, 'a schedule cannot be read and is paused')
    await updateSchedule(deps.store.db, row.id, {
      state: 'paused',
      reason: 'schedule.broken',
      ...{ next_slot: null, next_due: null, next_at: null },
    })
    return undefined
  }
}

/** Writes the slots of a plan by the overlap policy; returns the sessions that must stop. */
async function placeSlots(
  trx: Db,
  deps: ScheduleDeps,
  row: ScheduleRow,
  { spec, slots }: FirePlan,
  now: number,
): Promise<string[]> {
  const open = (await openSlots(trx, row.id)).filter((slot) => slot.kind !== 'preview')
  const stopped: string[] = []
  let first = true
  for (const planned of slots) {
    const verdict = planned.state === 'queued' && first ? overlap(spec, open) : 'go'
    if (planned.state === 'queued') first = false
    const skipped = verdict === 'skip'
    const notes: SlotNote[] = [...planned.notes, ...(skipped ? [overlapNote(spec)] : [])]
    const state = skipped ? 'skipped' : planned.state
    await insertSlot(trx, newSlot(deps, row.id, spec, { ...planned, state, notes }, now))
    if (verdict === 'replace') stopped.push(...(await replaceOpen(trx, open, now)))
  }
  return stopped
}

function overlap(spec: ScheduleSpec, open: readonly ScheduleSlotRow[]): 'go' | 'skip' | 'replace' {
  if (open.length === 0) return 'go'
  if (spec.overlap === 'replace') return 'replace'
  const waits = open.some((slot) => slot.state === 'queued')
  return spec.overlap === 'queue' && !waits ? 'go' : 'skip'
}

function overlapNote(spec: ScheduleSpec): SlotNote {
  return { code: spec.overlap === 'queue' ? 'overlap_queue' : 'overlap', params: {} }
}

/** Closes waiting slots and asks a running one to stop; a slot whose result is only being delivered is left alone. */
async function replaceOpen(trx: Db, open: readonly ScheduleSlotRow[], now: number): Promise<string[]> {
  const sessions: string[] = []
  for (const slot of open) {
    await moveSlot(trx, slot, ['queued'], { state: 'replaced', ended_at: now })
    if (slot.state !== 'running') continue
    await setStopRequested(trx, slot.session_id, true)
    const notes = JSON.stringify([...JSON.parse(slot.notes), { code: 'replaced', params: {} }])
    await moveSlot(trx, slot, ['running'], { notes })
    sessions.push(slot.session_id)
  }
  return sessions
}

/** The row of a slot that has just been claimed. */
export function newSlot(
  deps: Pick<ScheduleDeps, 'random'>,
  scheduleId: string,
  spec: Pick<ScheduleSpec, 'to'>,
  planned: PlannedSlot,
  now: number,
): Parameters<typeof insertSlot>[1] {
  return {
    schedule_id: scheduleId,
    slot: planned.slot,
    kind: 'due',
    state: planned.state,
    due_at: planned.at,
    session_id: scheduleSession(scheduleId),
    address: JSON.stringify(spec.to),
    run_id: deps.random.id(),
    notes: JSON.stringify(planned.notes),
    cost: null,
    currency: null,
    error: null,
    created_at: now,
    started_at: null,
    ended_at: planned.state === 'skipped' ? now : null,
  }
}
