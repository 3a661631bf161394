/** Rows that come with all their days at once (files, JSON): taking those of a period. Pure. */
import { z } from 'zod'
import type { ReportContent } from '../content.ts'
import { instantText, PERIODS, periodOf, type Span } from '../period.ts'
import type { BuildContext } from '../report.ts'
import { type Cell, columnIndex, type Table } from '../table.ts'
import { type View, viewParams, viewTable } from '../view.ts'

export const rowsParams = {
  source: z.string().min(1).describe('name of a source in reports.sources'),
  period: z.enum(PERIODS).optional().describe('only rows of this period; needs date'),
  date: z.string().min(1).optional().describe('column with the day of a row, for period'),
  compare: z.boolean().default(true).describe('compare the figures with the period before'),
  ...viewParams,
}

type Given = View & {
  readonly source: string
  readonly period?: (typeof PERIODS)[number] | undefined
  readonly date?: string | undefined
  readonly compare: boolean
}

export function viewRows(given: Given, table: Table, ctx: BuildContext): ReportContent {
  const { date, compare } = given
  const period = given.period && periodOf(given.period, ctx.at, ctx.timezone)
  if (period === undefined || date === undefined) {
    return viewTable(given, { title: given.source, period: undefined, now: table, before: undefined }, ctx)
  }
  const within = (span: Span): Table => rowsOf(table, date, span, ctx.timezone)
  const viewed = {
    title: given.source,
    period,
    now: within(period.now),
    before: compare ? within(period.before) : undefined,
  }
  const content = viewTable(given, viewed, ctx)
  const index = columnIndex(table, date, 'date')
  const undated = table.rows.filter((row) => dayOf(row[index] ?? null) === undefined).length
  if (undated === 0) return content
  return {
    ...content,
    notes: [...content.notes, ctx.text('report.note.undated', { column: date, count: undated })],
  }
}

function rowsOf(table: Table, date: string, span: Span, timezone: string): Table {
  const index = columnIndex(table, date, 'date')
  const [from, to] = [instantText(span.from, timezone), instantText(span.to, timezone)]
  return {
    ...table,
    rows: table.rows.filter((row) => {
      const day = dayOf(row[index] ?? null)
      return day !== undefined && day >= from && day < to
    }),
  }
}

/** `2026/11/9`, `2026年11月9日`, `20261109` and `2026-11-09T08:00` as text that sorts. */
export function dayOf(cell: Cell): string | undefined {
  const text = String(cell ?? '')
    .normalize('NFKC')
    .trim()
  const parts =
    /^(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?(?:[T ](\d{1,2}):(\d{2})(?::(\d{2}))?)?/.exec(text) ??
    /^(\d{4})(\d{2})(\d{2})$/.exec(text)
  if (parts === null) return undefined
  const [, year = '', month = '', day = '', hour, minute = '00', second = '00'] = parts
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return hour === undefined ? date : `${date} ${hour.padStart(2, '0')}:${minute}:${second}`
}
