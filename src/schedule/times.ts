/**
 * When a schedule fires. Cron maths is croner's; this file adds what it has no notion of: working
 * days, and that a slot is a local time, so that an hour which clocks repeat fires once. It knows
 * rules and instants, never rows.
 */
import { Cron } from 'croner'
import type { Calendar } from './calendar.ts'
import { cronComplaint } from './cron-complaint.ts'
import type { LocalTimes } from './local-time.ts'
import type { ScheduleSpec } from './spec.ts'

export type Rule = Pick<ScheduleSpec, 'cron' | 'at' | 'timezone' | 'calendar'>

export interface Occurrence {
  /** `2026-03-08T09:00 Asia/Shanghai` */
  readonly slot: string
  /** The instant of the slot, milliseconds. */
  readonly at: number
}

export interface Times {
  /** The first occurrence after an instant and after a slot; undefined when there is none. */
  next(rule: Rule, after: number, lastSlot?: string | null): Occurrence | undefined
  /** The next `count` occurrences. */
  upcoming(rule: Rule, after: number, count: number): Occurrence[]
  /** The newest occurrences after `after` and not after `now`, oldest first; `more`: there were others before. */
  missed(rule: Rule, after: number, now: number, count: number): { latest: Occurrence[]; more: boolean }
}

/** Rejected as never firing when nothing is found within this many skipped days or repeated times. */
const MOST_STEPS = 4_000
const DAY_MS = 86_400_000
const WINDOWS_MS = [3_600_000, DAY_MS, 8 * DAY_MS, 40 * DAY_MS, 400 * DAY_MS]

/** Occurrences by local time and a calendar of working days. */
export function createTimes(local: LocalTimes, calendar: Calendar): Times {
  const slotOf = (at: number, timezone: string): string => `${local.local(at, timezone)} ${timezone}`

  const once = (rule: Rule, after: number, lastSlot: string | null | undefined): Occurrence | undefined => {
    if (rule.at === undefined) return undefined
    const occurrence = {
      slot: `${rule.at} ${rule.timezone}`,
      at: local.instant(rule.at, rule.timezone),
    }
    return occurrence.at > after && occurrence.slot !== lastSlot ? occurrence : undefined
  }

  const next: Times['next'] = (rule, after, lastSlot) => {
    if (rule.cron === undefined) return once(rule, after, lastSlot)
    const cron = parseCron(effectivePattern(rule), rule.timezone)
    let from = after
    for (let step = 0; step < MOST_STEPS; step++) {
      const at = cron.nextRun(new Date(from))?.getTime()
      if (at === undefined) return undefined
      const slot = slotOf(at, rule.timezone)
      const date = slot.slice(0, 10)
      if (rule.calendar === 'workdays' && !calendar.isWorkday(date)) {
        // Straight to the next day: a job of every minute must not count a holiday's minutes.
        from = startOfNextDay(at, rule.timezone) - 1
        continue
      }
      if (lastSlot === null || lastSlot === undefined || slot > lastSlot) return { slot, at }
      from = at
    }
    return undefined
  }

  const collect = (rule: Rule, after: number, until: number, most: number): Occurrence[] | undefined => {
    const found: Occurrence[] = []
    let from = after
    let lastSlot: string | undefined
    for (;;) {
      const occurrence = next(rule, from, lastSlot)
      if (!occurrence || occurrence.at > until) return found
      if (found.length === most) return undefined
      found.push(occurrence)
      from = occurrence.at
      lastSlot = occurrence.slot
    }
  }

  return {
    next,
    upcoming: (rule, after, count) => {
      const found: Occurrence[] = []
      for (let last = next(rule, after); last && found.length < count; last = next(rule, last.at, last.slot))
        found.push(last)
      return found
    },
    missed: (rule, after, now, count) => {
      // Looks back in growing windows, so that a job of every minute does not replay a month.
      for (const window of [...WINDOWS_MS, Number.POSITIVE_INFINITY]) {
        const from = Math.max(after, now - window)
        const found = collect(rule, from, now, MOST_STEPS)
        if (!found) break
        if (from === after || found.length >= count)
          return { latest: found.slice(-count), more: found.length > count || from !== after }
      }
      return { latest: [], more: true }
    },
  }
}

/** Throws `schedule.cron` or one of {@link cronComplaint}'s, with the place and an example. */
export function parseCron(pattern: string, timezone: string): Cron {
  try {
    const mode = pattern.startsWith('@') ? {} : { mode: '5-part' as const }
    return new Cron(pattern, { timezone, paused: true, ...mode })
  } catch (cause) {
    throw cronComplaint(pattern, cause)
  }
}

/** With the calendar of working days, Monday to Friday means the working days, whichever weekday they are. */
function effectivePattern(rule: Rule): string {
  const pattern = rule.cron ?? ''
  return rule.calendar === 'workdays' ? pattern.replace(/\s(1-5|MON-FRI)\s*$/i, ' *') : pattern
}

function startOfNextDay(at: number, timezone: string): number {
  const midnight = new Cron('0 0 * * *', { timezone, paused: true })
  return midnight.nextRun(new Date(at))?.getTime() ?? at + DAY_MS
}
