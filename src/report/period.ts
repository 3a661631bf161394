/** The span of time that a report is about, and the one before it. Days are those of a time zone. */
import type { Translate } from '../protocol/ports.ts'

export const PERIODS = [
  'today',
  'yesterday',
  'this_week',
  'last_week',
  'this_month',
  'last_month',
  'last_7_days',
  'last_30_days',
] as const

export type PeriodName = (typeof PERIODS)[number]

/** Milliseconds, `from` included, `to` not. */
export interface Span {
  readonly from: number
  readonly to: number
}

export interface Period {
  readonly name: PeriodName
  readonly now: Span
  /** As long as `now` when that is not over yet: Monday to Wednesday against Monday to Wednesday. */
  readonly before: Span
}

/** Weeks begin on Monday. */
export function periodOf(name: PeriodName, at: number, timezone: string): Period {
  const day = (shift: number): number => dayStart(at, timezone, { days: shift })
  const weekday = (weekdayOf(at, timezone) + 6) % 7
  const week = (shift: number): number => day(7 * shift - weekday)
  const month = (shift: number): number => dayStart(at, timezone, { months: shift })
  const whole = (start: (shift: number) => number, last: number): Omit<Period, 'name'> => ({
    now: { from: start(last), to: start(last + 1) },
    before: { from: start(last - 1), to: start(last) },
  })
  const running = (start: (shift: number) => number): Omit<Period, 'name'> => ({
    now: { from: start(0), to: at },
    before: { from: start(-1), to: Math.min(start(-1) + at - start(0), start(0)) },
  })
  const days = (count: number): Omit<Period, 'name'> => ({
    now: { from: day(-count), to: day(0) },
    before: { from: day(-2 * count), to: day(-count) },
  })
  switch (name) {
    case 'today':
      return { name, ...running(day) }
    case 'yesterday':
      return { name, ...whole(day, -1) }
    case 'this_week':
      return { name, ...running(week) }
    case 'last_week':
      return { name, ...whole(week, -1) }
    case 'this_month':
      return { name, ...running(month) }
    case 'last_month':
      return { name, ...whole(month, -1) }
    case 'last_7_days':
      return { name, ...days(7) }
    case 'last_30_days':
      return { name, ...days(30) }
  }
}

/** The span in words, both days included: `昨天（11月29日）`. */
export function periodText(period: Period, timezone: string, text: Translate): string {
  const first = dayText(period.now.from, timezone, text)
  const last = dayText(period.now.to - 1, timezone, text)
  const name = text(`report.period.${period.name}`)
  return first === last
    ? text('report.period.one', { name, day: first })
    : text('report.period.many', { name, first, last })
}

export function dayText(at: number, timezone: string, text: Translate): string {
  const { month, day } = wallTime(at, timezone)
  return text('report.day', { month, day, monthPadded: pad(month), dayPadded: pad(day) })
}

/**
 * An instant as databases compare it: `2026-11-29` at midnight, `2026-11-29 08:30:00` otherwise. The
 * short form also orders rightly against columns that hold only a date.
 */
export function instantText(at: number, timezone: string): string {
  const wall = wallTime(at, timezone)
  const date = `${wall.year}-${pad(wall.month)}-${pad(wall.day)}`
  if (wall.hour === 0 && wall.minute === 0 && wall.second === 0) return date
  return `${date} ${pad(wall.hour)}:${pad(wall.minute)}:${pad(wall.second)}`
}

/** The date of an instant: `2026-11-29`. */
export function dateText(at: number, timezone: string): string {
  return instantText(at, timezone).slice(0, 10)
}

interface WallTime {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
}

function wallTime(at: number, timezone: string): WallTime {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at)
  const part = (type: Intl.DateTimeFormatPartTypes): number =>
    Number(parts.find((entry) => entry.type === type)?.value)
  return {
    year: part('year'),
    month: part('month'),
    day: part('day'),
    hour: part('hour'),
    minute: part('minute'),
    second: part('second'),
  }
}

function weekdayOf(at: number, timezone: string): number {
  const { year, month, day } = wallTime(at, timezone)
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay()
}

/** First instant of the day some days from `at`, or of the first of the month some months from it. */
function dayStart(at: number, timezone: string, shift: { days?: number; months?: number }): number {
  const wall = wallTime(at, timezone)
  const midnight =
    shift.months === undefined
      ? Date.UTC(wall.year, wall.month - 1, wall.day + (shift.days ?? 0))
      : Date.UTC(wall.year, wall.month - 1 + shift.months, 1)
  // Twice, because the offset at the guess may be that of the other side of a clock change.
  const guess = midnight - offsetAt(midnight, timezone)
  return midnight - offsetAt(guess, timezone)
}

/** Milliseconds that the zone is ahead of UTC. */
function offsetAt(at: number, timezone: string): number {
  const wall = wallTime(at, timezone)
  const asUtc = Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, wall.second)
  return asUtc - Math.floor(at / 1_000) * 1_000
}

function pad(value: number): string {
  return String(value).padStart(2, '0')
}
