/** Whether the holidays of the next weeks are known, and whether the operator's own file can be read. */
import type { Config } from '../../config/schema.ts'
import type { Diagnosis } from '../../protocol/adapter.ts'
import { isAppError } from '../../protocol/errors.ts'
import { createCalendar } from '../../schedule/calendar.ts'
import { createLocalTimes } from '../../schedule/local-time.ts'
import type { Speech } from './speech.ts'

/** A year's holidays are announced about two months before it begins. */
const AHEAD_MS = 60 * 86_400_000

export function checkCalendar(
  { calendar: { file, timezone } }: Config,
  now: number,
  { text, error: words }: Speech,
): Diagnosis {
  const check = 'calendar'
  try {
    const calendar = createCalendar(file)
    const ahead = createLocalTimes().local(now + AHEAD_MS, timezone)
    const years = calendar.years.join(', ')
    if (calendar.knows(ahead)) return { check, ok: true, detail: text('doctor.calendar.known', { years }) }
    const detail = text('doctor.calendar.unknown', { years, year: ahead.slice(0, 4) })
    return { check, ok: true, unseen: true, detail }
  } catch (error) {
    if (!isAppError(error)) throw error
    const { message, hint } = words(error)
    return { check, ok: false, detail: message, fix: hint }
  }
}
