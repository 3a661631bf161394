/** Working days: weekdays without public holidays, plus the weekend days that are worked instead. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'
import { AppError } from '../protocol/errors.ts'
import { CHINA, FIXED, type HolidayYear } from './holidays.ts'

export interface Calendar {
  /** @param date `YYYY-MM-DD` */
  isWorkday(date: string): boolean
  /** Whether the holidays of the date's year are known; without them only those of a fixed date are off. */
  knows(date: string): boolean
  /** First and last year whose holidays are known, for people. */
  readonly years: readonly string[]
}

const monthDay = z.string().regex(/^(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, 'a day as MM-DD, e.g. 02-15')
const fileSchema = z.record(
  z.string().regex(/^20\d\d$/, 'a year such as 2027'),
  z.strictObject({
    off: z.array(z.union([z.tuple([monthDay]), z.tuple([monthDay, monthDay])])).default([]),
    worked: z.array(monthDay).default([]),
  }),
)

/**
 * Builds the calendar of mainland China. A year of the override file replaces the built-in one whole.
 * Rejects a file that cannot be read with `schedule.calendar_file`.
 */
export function createCalendar(overrideFile?: string): Calendar {
  const years: Record<string, HolidayYear> = {
    ...CHINA,
    ...(overrideFile === undefined ? {} : readOverride(overrideFile)),
  }
  const fixed = new Set(
    FIXED.flatMap(([first, last = first]) => span(`2000-${first}`, `2000-${last}`)).map((date) =>
      date.slice(5),
    ),
  )
  const off = new Set<string>()
  const worked = new Set<string>()
  for (const [year, days] of Object.entries(years)) {
    for (const [first, last = first] of days.off)
      for (const date of span(`${year}-${first}`, `${year}-${last}`)) off.add(date)
    for (const day of days.worked) worked.add(`${year}-${day}`)
  }
  return {
    years: Object.keys(years).sort(),
    knows: (date) => date.slice(0, 4) in years,
    isWorkday: (date) => {
      if (worked.has(date)) return true
      const weekday = new Date(`${date}T00:00:00Z`).getUTCDay()
      const isOff = date.slice(0, 4) in years ? off.has(date) : fixed.has(date.slice(5))
      return weekday !== 0 && weekday !== 6 && !isOff
    },
  }
}

function readOverride(file: string): Record<string, HolidayYear> {
  try {
    return fileSchema.parse(parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause)
    throw new AppError('schedule.calendar_file', `the calendar file ${file} cannot be used: ${why}`, {
      hint: 'Write years with days off and worked weekend days, e.g. { "2027": { off: [["02-06", "02-12"]], worked: ["02-13"] } }.',
      params: { file },
      cause,
    })
  }
}

function span(first: string, last: string): string[] {
  const dates: string[] = []
  const end = Date.parse(`${last}T00:00:00Z`)
  for (let day = Date.parse(`${first}T00:00:00Z`); day <= end; day += 86_400_000)
    dates.push(new Date(day).toISOString().slice(0, 10))
  return dates
}
