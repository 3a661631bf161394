/**
 * What croner says against an expression, as an error whose words every language has. Knows croner's sentences
 * (11.0, `CronPattern`); one that it does not know is passed on as it is.
 */
import { AppError } from '../protocol/errors.ts'

/** Croner's name of a field → ours, what may stand there, and what croner has added to the value. */
const FIELDS: Readonly<Record<string, { name: string; range: string; shift: number }>> = {
  minute: { name: 'minute', range: '0–59', shift: 0 },
  hour: { name: 'hour', range: '0–23', shift: 0 },
  // Days and months are counted from zero there: a refused 32 reads 31.
  day: { name: 'day', range: '1–31', shift: -1 },
  nearestWeekdays: { name: 'day', range: '1–31', shift: -1 },
  month: { name: 'month', range: '1–12', shift: -1 },
  dayOfWeek: { name: 'weekday', range: '0–7', shift: 0 },
}

/**
 * `schedule.cron_minute`, `_hour`, `_day`, `_month` or `_weekday` for a value out of range, `schedule.cron_fields` for
 * more or fewer than five fields, else `schedule.cron` with croner's own words.
 */
export function cronComplaint(pattern: string, cause: unknown): AppError {
  const said = cause instanceof Error ? cause.message.replace(/^Cron\w+: /, '') : String(cause)
  const refuse = (code: string, why: string, params: Record<string, string | number>): AppError =>
    new AppError(code, `cron "${pattern}": ${why}`, {
      hint: 'Five fields: minute hour day month weekday, e.g. "0 9 * * 1-5" for nine o\'clock from Monday to Friday.',
      params: { cron: pattern, ...params },
      cause,
    })
  const [, named = '', value = ''] = /^Invalid value for (\w+): (-?\d+)/.exec(said) ?? []
  const field = FIELDS[named]
  if (field) {
    const written = Number(value) - field.shift
    const why = `no such ${field.name}: ${written} (${field.range})`
    return refuse(`schedule.cron_${field.name}`, why, { value: written })
  }
  const count = pattern.split(/\s+/).filter((part) => part !== '').length
  if (count !== 5 && !pattern.includes('@'))
    return refuse('schedule.cron_fields', `${count} fields instead of five`, { count })
  return refuse('schedule.cron', said, { why: said })
}
