/** What a person may ask for over any table: figures, charts, rows, attachments. Pure. */
import { z } from 'zod'
import type { ChartSpec, Figure, ReportContent, TableBlock } from './content.ts'
import type { Period } from './period.ts'
import { dayText, instantText, periodText } from './period.ts'
import type { BuildContext } from './report.ts'
import { columnIndex, groupSum, numberOf, reduceColumn, type Table } from './table.ts'

const columns = z
  .union([z.string().min(1), z.array(z.string().min(1)).min(1).max(8)])
  .transform((one) => [one].flat())

const figure = z.strictObject({
  column: z.string().min(1).describe('column to count'),
  label: z.string().optional().describe('name that people see; default: the column'),
  use: z.enum(['sum', 'avg', 'max', 'min', 'count', 'first', 'last']).default('sum'),
  unit: z.string().max(12).optional().describe('元, 单, %; "%" shows 0.35 as 35%'),
  decimals: z.int().min(0).max(6).optional(),
  target: z.number().optional(),
  better: z.enum(['up', 'down']).default('up').describe('down: staying below the target is good'),
})

const chart = z.strictObject({
  type: z.enum(['bar', 'line', 'pie', 'stacked']),
  x: z.string().min(1).describe('column of the labels'),
  y: columns.describe('column or columns of the values; summed up for each label'),
  title: z.string().max(60).optional(),
  unit: z.string().max(12).optional(),
  target: z.number().optional(),
})

/** Parameters that every report over a table takes. */
export const viewParams = {
  title: z.string().max(60).optional().describe('heading'),
  figures: z.array(figure).max(12).default([]).describe('key figures: [{ column: 销售额, unit: 元 }]'),
  charts: z.array(chart).max(4).default([]).describe('pictures: [{ type: bar, x: 部门, y: 销售额 }]'),
  columns: z.array(z.string().min(1)).max(12).optional().describe('columns of the table; default: all'),
  rows: z.int().min(0).max(50).default(10).describe('rows of the table in the chat; 0: no table'),
  attach: z
    .array(z.enum(['xlsx', 'csv', 'pdf']))
    .max(3)
    .default([])
    .describe('files with all rows'),
}

const view = z.object(viewParams)
export type View = z.output<typeof view>

export interface Viewed {
  readonly title: string
  readonly period: Period | undefined
  readonly now: Table
  /** The period before; undefined when there is no comparison. */
  readonly before: Table | undefined
}

export function viewTable(
  params: View,
  { title, period, now, before }: Viewed,
  ctx: BuildContext,
): ReportContent {
  const figures = params.figures.map((each, index) =>
    figureOf(each, `figures[${index}]`, now, before, period, ctx),
  )
  const charts = params.charts.map((each, index) => chartOf(each, `charts[${index}]`, now, ctx))
  const shown = params.columns ?? now.columns
  const indexes = shown.map((name) => columnIndex(now, name, 'columns'))
  const units = shown.map((name) => params.figures.find((each) => each.column === name)?.unit)
  const table: TableBlock = {
    columns: shown,
    rows: now.rows.slice(0, params.rows).map((row) => indexes.map((index) => row[index] ?? null)),
    total: now.rows.length,
    units,
  }
  return {
    title: params.title ?? title,
    ...(period && { period: periodText(period, ctx.timezone, ctx.text) }),
    notes: [...stateNotes(now, period, ctx), ...skippedNotes(params, now, ctx)],
    figures: now.rows.length === 0 ? figures.map((each) => ({ ...each, value: undefined })) : figures,
    charts: now.rows.length === 0 ? [] : charts,
    tables: params.rows === 0 ? [] : [table],
    sheets: [{ name: params.title ?? title, columns: now.columns, rows: now.rows }],
    attach: params.attach,
  }
}

function figureOf(
  params: z.output<typeof figure>,
  place: string,
  now: Table,
  before: Table | undefined,
  period: Period | undefined,
  { text }: BuildContext,
): Figure {
  const { column, use, unit, decimals, target } = params
  const earlier =
    before && (before.rows.length === 0 ? undefined : reduceColumn(before, column, use, place).value)
  return {
    label: params.label ?? column,
    value: reduceColumn(now, column, use, place).value,
    better: params.better,
    ...(unit !== undefined && { unit }),
    ...(decimals !== undefined && { decimals }),
    ...(target !== undefined && { target }),
    ...(before && period && { before: { value: earlier, name: text(`report.before_name.${period.name}`) } }),
  }
}

function chartOf(params: z.output<typeof chart>, place: string, now: Table, ctx: BuildContext): ChartSpec {
  const groups = groupSum(now, params.x, params.y, place)
  return {
    type: params.type,
    title: params.title ?? ctx.text('report.chart.title', { x: params.x, y: params.y.join('、') }),
    labels: groups.map((group) => group.label),
    series: params.y.map((name, at) => ({ name, values: groups.map((group) => group.values[at] ?? null) })),
    ...(params.unit !== undefined && { unit: params.unit }),
    ...(params.target !== undefined && { target: params.target }),
  }
}

/** Empty, cut or written too early: said before any number. */
export function stateNotes(
  table: Table,
  period: Period | undefined,
  { text, timezone }: BuildContext,
): string[] {
  const notes: string[] = []
  if (table.rows.length === 0) notes.push(text(period ? 'report.note.empty_period' : 'report.note.empty'))
  if (table.cut?.by === 'rows') notes.push(text('report.note.cut_rows', { count: table.cut.limit }))
  if (table.cut?.by === 'bytes') {
    notes.push(text('report.note.cut_bytes', { megabytes: Math.round(table.cut.limit / 1_048_576) }))
  }
  if (table.writtenAt !== undefined && period !== undefined && table.writtenAt < period.now.to) {
    const at = instantText(table.writtenAt, timezone).slice(0, 16)
    notes.push(text('report.note.old_file', { at, day: dayText(period.now.to - 1, timezone, text) }))
  }
  return notes
}

function skippedNotes(params: View, now: Table, { text }: BuildContext): string[] {
  const columns = new Set(params.figures.filter((each) => each.use !== 'count').map((each) => each.column))
  for (const { y } of params.charts) for (const column of y) columns.add(column)
  return [...columns].flatMap((column) => {
    const index = now.columns.indexOf(column)
    const count = now.rows.filter((row) => numberOf(row[index] ?? null) === undefined).length
    return count === 0 ? [] : [text('report.note.not_numbers', { column, count })]
  })
}
