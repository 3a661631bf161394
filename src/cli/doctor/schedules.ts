/** Schedules of the configuration, as the start will judge them; all mistakes at once. */
import type { Config } from '../../config/schema.ts'
import type { Diagnosis } from '../../protocol/adapter.ts'
import { isAppError } from '../../protocol/errors.ts'
import { reportNames } from '../../report/reports.ts'
import { createCalendar } from '../../schedule/calendar.ts'
import { checkDestination, knownBots } from '../../schedule/destination.ts'
import { createLocalTimes } from '../../schedule/local-time.ts'
import { createTimes } from '../../schedule/times.ts'
import { checkAsking, checkOneThing, checkReport, checkTimes, when } from '../../schedule/validation.ts'
import type { Speech } from './speech.ts'

/** @param placeOf file and line of a schedule, as mistakes of the configuration have them */
export function checkSchedules(
  config: Config,
  now: number,
  { text, error: words }: Speech,
  placeOf: (index: number) => string = () => '',
): Diagnosis[] {
  const local = createLocalTimes()
  const times = createTimes(local, createCalendar(config.calendar.file))
  const bots = knownBots(config.bots)
  const reports = reportNames(config.reports.saved)
  return config.schedules.map((one, index): Diagnosis => {
    const check = `schedule:${one.id}`
    const rule = {
      timezone: one.timezone ?? config.calendar.timezone,
      calendar: one.calendar ?? ('all' as const),
      ...(one.cron === undefined ? {} : { cron: one.cron }),
      ...(one.at === undefined ? {} : { at: one.at }),
    }
    try {
      when(one)
      checkOneThing(one)
      checkTimes({ local, times }, rule, now)
      if (one.to !== undefined) checkDestination(bots, one.to)
      if (one.report !== undefined) checkReport(reports, one.report)
      checkAsking(one.to?.chat.startsWith('robot:') === true, one.approvals)
    } catch (error) {
      if (!isAppError(error)) throw error
      const { message, hint } = words(error)
      return { check, ok: false, detail: `${placeOf(index)}${message}`, fix: hint }
    }
    const next = times.next(rule, now)
    return {
      check,
      ok: true,
      detail: next ? text('doctor.schedule.next', { slot: next.slot }) : text('doctor.schedule.over'),
    }
  })
}
