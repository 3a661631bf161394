/** What a schedule that is due does: which slots run, with which notes, and when it is due next. Pure. */
import type { ScheduleRow } from '../store/schema.ts'
import { parseSpec, type ScheduleSpec, type SlotNote } from './spec.ts'
import type { Occurrence, Times } from './times.ts'

export interface PlannedSlot extends Occurrence {
  readonly state: 'queued' | 'skipped'
  readonly notes: readonly SlotNote[]
}

export type NextTime = Pick<ScheduleRow, 'state' | 'last_slot' | 'next_slot' | 'next_due' | 'next_at'>

export interface FirePlan {
  readonly spec: ScheduleSpec
  readonly slots: readonly PlannedSlot[]
  readonly next: NextTime
}

/** A slot that is this late counts as missed: the service was down or asleep, or the clock jumped. Milliseconds. */
export const MISSED_AFTER_MS = 120_000
/** Most missed slots that run late with `missed: all`. */
const MOST_MADE_UP = 3

/** @param now wall time, at or after the row's `next_at` */
export function planFire(times: Times, row: ScheduleRow, now: number): FirePlan {
  const spec = parseSpec(row.spec)
  const due: Occurrence = { slot: row.next_slot ?? '', at: row.next_due ?? now }
  const jitter = jitterOf(row.id, spec.jitterMs)
  const onTime = (one: Occurrence): boolean => now - one.at - jitter <= MISSED_AFTER_MS
  const { slots, last } = onTime(due)
    ? { slots: [fired(due)], last: due }
    : missedSlots(times, spec, due, now - jitter, onTime)
  return { spec, slots, next: nextTime(times, spec, row.id, Math.max(last.at, now - jitter), last.slot) }
}

/** The next time of a schedule, or its end. */
export function nextTime(
  times: Times,
  spec: ScheduleSpec,
  id: string,
  after: number,
  lastSlot: string | null,
): NextTime {
  const next = times.next(spec, after, lastSlot)
  if (!next) return { state: 'done', last_slot: lastSlot, next_slot: null, next_due: null, next_at: null }
  return {
    state: 'active',
    last_slot: lastSlot,
    next_slot: next.slot,
    next_due: next.at,
    next_at: next.at + jitterOf(id, spec.jitterMs),
  }
}

/** The same delay for the same schedule every time, spread evenly over the width. */
export function jitterOf(id: string, widthMs: number): number {
  let hash = 2_166_136_261
  for (const char of id) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16_777_619)
  // The low bits of this hash alone would put similar ids side by side.
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_507)
  return widthMs === 0 ? 0 : ((hash ^ (hash >>> 13)) >>> 0) % widthMs
}

function fired(one: Occurrence, notes: readonly SlotNote[] = []): PlannedSlot {
  return { ...one, state: 'queued', notes }
}

function missedSlots(
  times: Times,
  spec: ScheduleSpec,
  due: Occurrence,
  now: number,
  onTime: (one: Occurrence) => boolean,
): { slots: PlannedSlot[]; last: Occurrence } {
  const found = times.missed(spec, due.at - 1, now, MOST_MADE_UP)
  const latest = found.latest.length > 0 ? found.latest : [due]
  const last = latest.at(-1) ?? due
  const late = (one: Occurrence, others: number): PlannedSlot =>
    fired(one, onTime(one) ? [] : [{ code: others > 0 ? 'late_once' : 'late', params: { slot: one.slot } }])
  switch (spec.missed) {
    case 'skip':
      return {
        slots: latest.map((one) =>
          onTime(one)
            ? fired(one)
            : { ...one, state: 'skipped', notes: [{ code: 'missed', params: { slot: one.slot } }] },
        ),
        last,
      }
    case 'once':
      return { slots: [late(last, found.more ? MOST_MADE_UP : latest.length - 1)], last }
    case 'all':
      return { slots: latest.map((one) => late(one, 0)), last }
  }
}
