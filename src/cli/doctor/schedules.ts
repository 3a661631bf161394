/** Schedules of the configuration, as the start will judge them; all mistakes at once. */
import type { Config } from '../../config/schema.ts'
import type { Diagnosis } from '../../protocol/adapter.ts'
import { isAppError } from '../../protocol/errors.ts'
import { createCalendar } from '../../schedule/calendar.ts'
import { createLocalTimes } from '../../schedule/local-time.ts'
import { createTimes } from '../../schedule/times.ts'
import { checkOneThing, checkTimes, when } from '../../schedule/validation.ts'
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
    } catch (error) {
      if (!isAppError(error)) throw error
      const { message, hint } = words(error)
      return { check, ok: false, detail: `${placeOf(index)}${message}`, fix: hint }
    }
    if (one.to !== undefined && !config.bots.some((bot) => bot.id === one.to?.bot)) {
      const ids = config.bots.map((bot) => bot.id).join(', ')
      return {
        check,
        ok: false,
        detail: `${placeOf(index)}${text('doctor.schedule.no_bot', { bot: one.to.bot })}`,
        fix: text('doctor.schedule.no_bot.fix', { ids: ids || '-' }),
      }
    }
    const next = times.next(rule, now)
    return {
      check,
      ok: true,
      detail: next ? text('doctor.schedule.next', { slot: next.slot }) : text('doctor.schedule.over'),
    }
  })
}
