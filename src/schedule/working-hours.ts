/** Working hours, in which people may be asked for approval. */
import type { Calendar } from './calendar.ts'
import type { LocalTimes } from './local-time.ts'
import type { ScheduleSpec } from './spec.ts'

/** Days that are searched for the next working day. */
const MOST_DAYS = 40
const DAY_MS = 86_400_000

/** The instant at which somebody may be asked: `now` within the hours, else when they next begin. */
export function openingTime(
  spec: Pick<ScheduleSpec, 'hours' | 'timezone'>,
  deps: { readonly local: LocalTimes; readonly calendar: Calendar },
  now: number,
): number {
  const [from = '09:00', to = '18:00'] = spec.hours.split('-')
  const today = deps.local.local(now, spec.timezone)
  for (let day = 0; day < MOST_DAYS; day++) {
    const date = new Date(Date.parse(`${today.slice(0, 10)}T00:00Z`) + day * DAY_MS)
      .toISOString()
      .slice(0, 10)
    if (!deps.calendar.isWorkday(date)) continue
    const time = day === 0 ? today.slice(11, 16) : '00:00'
    if (time >= from && time < to) return now
    if (time < from) return deps.local.instant(`${date}T${from}`, spec.timezone)
  }
  return now
}
