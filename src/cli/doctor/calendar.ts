/** Whether the holidays of the next weeks are known, and whether the operator's own file can be read. */
import type { Config } from '../../config/schema.ts'
import type { Diagnosis } from '../../protocol/adapter.ts'
import { isAppError } from '../../protocol/errors.ts'
import { createCalendar } from '../../schedule/calendar.ts'
import { createLocalTimes } from '../../schedule/local-time.ts'

/** A year's holidays are announced about two months before it begins. */
const AHEAD_MS = 60 * 86_400_000

export function checkCalendar({ calendar: { file, timezone } }: Config, now: number): Diagnosis {
  const check = 'calendar'
  try {
    const calendar = createCalendar(file)
    const ahead = createLocalTimes().local(now + AHEAD_MS, timezone)
    const known = `holidays of ${calendar.years.join(', ')}`
    if (calendar.knows(ahead)) return { check, ok: true, detail: known }
    const year = ahead.slice(0, 4)
    const remedy = 'write them into the file of calendar.file once they are announced'
    return { check, ok: true, unseen: true, detail: `${known}; those of ${year} are not known: ${remedy}` }
  } catch (error) {
    if (!isAppError(error)) throw error
    return { check, ok: false, detail: error.message, fix: error.hint }
  }
}
