/** What can be said about a report's source and query before anything is read. */
import { z } from 'zod'
import { AppError } from '../protocol/errors.ts'
import { bindPlaceholders, placeholdersOf } from './sources/placeholders.ts'
import { assertPlainQuery } from './sources/plain-query.ts'
import { DIALECTS, type SourceReader } from './sources/reader.ts'

const queryParams = z.looseObject({
  source: z.string(),
  query: z.string().optional(),
  period: z.string().optional(),
  date: z.string().optional(),
})

const ALWAYS = new Set(['today', 'now_ms'])
const WITH_PERIOD = new Set([...ALWAYS, 'from', 'to', 'from_ms', 'to_ms'])

/** Rejects with `report.unknown_source`, `report.period_needed` … before a schedule is saved. */
export function checkQuery(report: string, params: unknown, reader: SourceReader): void {
  const given = queryParams.safeParse(params)
  if (!given.success) return
  const { source, query, period, date } = given.data
  if (report === 'csv') reader.source(source, ['csv', 'xlsx'])
  if (report === 'json') reader.source(source, ['json'])
  if (period !== undefined && report !== 'sql' && date === undefined) {
    throw new AppError('report.date_needed', 'period without date', {
      hint: 'Name the column with the day of each row, e.g. "date": "日期".',
    })
  }
  if (query !== undefined) checkSql(source, query, period !== undefined, reader)
}

function checkSql(source: string, query: string, hasPeriod: boolean, reader: SourceReader): void {
  const { type } = reader.source(source, ['postgres', 'mysql', 'sqlite'])
  const known = hasPeriod ? WITH_PERIOD : ALWAYS
  const unknown = placeholdersOf(query).find((name) => !known.has(name))
  if (unknown !== undefined) throw unknownPlaceholder(unknown)
  const values = Object.fromEntries([...WITH_PERIOD].map((name) => [name, 0]))
  const mark = type === 'postgres' ? (position: number) => `$${position}` : () => '?'
  assertPlainQuery(bindPlaceholders(query, values, mark).query.trim().replace(/;$/, ''), DIALECTS[type])
}

function unknownPlaceholder(unknown: string): AppError {
  if (WITH_PERIOD.has(unknown)) {
    return new AppError('report.period_needed', `:${unknown} needs a period`, {
      hint: 'Add a period, e.g. "period": "yesterday".',
      params: { name: unknown },
    })
  }
  const names = [...WITH_PERIOD].map((name) => `:${name}`)
  return new AppError('report.unknown_placeholder', `no value for :${unknown}`, {
    hint: `Known are ${names.join(', ')}.`,
    params: { name: unknown, known: names.join('、') },
  })
}
