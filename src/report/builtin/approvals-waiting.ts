/** What waits for somebody's decision, and for how long: our own commands and the company's forms. */
import { z } from 'zod'
import type { ChartSpec, Figure, TableBlock } from '../content.ts'
import { groupedBy, recordsOf, type TableRecord } from '../records.ts'
import { type BuildContext, defineReport } from '../report.ts'
import type { SourceRequest } from '../sources/source.ts'
import type { Table } from '../table.ts'
import { stateNotes } from '../view.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

export const approvalsWaiting = defineReport({
  name: 'approvals_waiting',
  about: 'report.about.approvals_waiting',
  params: z.strictObject({
    days: z.int().min(1).max(365).default(30).describe('company forms handed in during so many days'),
    rows: z.int().min(0).max(50).default(10),
    attach: z
      .array(z.enum(['xlsx', 'csv', 'pdf']))
      .max(3)
      .default([]),
  }),
  sources: ({ days }, { at }): Record<'own' | 'company', SourceRequest> => ({
    own: { type: 'service', of: 'approvals_waiting' },
    company: { type: 'company_approvals', span: { from: at - days * DAY_MS, to: at }, optional: true },
  }),
  build: ({ days, rows, attach }, { own, company }, ctx) => {
    const { text } = ctx
    const commands = recordsOf(own)
    const forms = recordsOf(company)
    const waiting = [...commands, ...forms].sort((a, b) => a.number('since') - b.number('since'))
    return {
      title: text('report.waiting.title'),
      notes: [...[own, company].flatMap((table) => cutNotes(table, ctx))],
      figures: [
        ...figuresOf('report.waiting.commands', commands, ctx),
        ...(company === undefined ? [] : figuresOf('report.waiting.forms', forms, ctx)),
      ],
      charts: waiting.length === 0 ? [] : chartsOf(waiting, ctx),
      tables: [tableOf(waiting, rows, ctx)],
      sheets: [{ ...tableOf(waiting, waiting.length, ctx), name: text('report.waiting.title') }],
      attach,
      ...(waiting.length === 0 && { remark: text('report.waiting.none') }),
      ...(company && { period: text('report.waiting.span', { days }) }),
    }
  },
})

function figuresOf(label: string, records: readonly TableRecord[], { at, text }: BuildContext): Figure[] {
  const oldest = Math.min(...records.map((record) => record.number('since')))
  const count = {
    label: text(label),
    value: records.length,
    unit: text('report.unit.items'),
    better: 'down' as const,
  }
  if (records.length === 0) return [count]
  const hours = (at - oldest) / HOUR_MS
  const age = { label: text(`${label}_oldest`), unit: text('report.unit.hours'), decimals: 1, value: hours }
  return [count, age]
}

const AGES = [4, 24, 72, 168]

function chartsOf(waiting: readonly TableRecord[], { at, text }: BuildContext): ChartSpec[] {
  const bucketOf = (record: TableRecord): number => {
    const hours = (at - record.number('since')) / HOUR_MS
    const bucket = AGES.findIndex((limit) => hours < limit)
    return bucket < 0 ? AGES.length : bucket
  }
  const counts = [...AGES, 0].map((_, index) => waiting.filter((record) => bucketOf(record) === index).length)
  const people = groupedBy(
    waiting.flatMap((record) =>
      record
        .text('waits_for')
        .split('、')
        .filter(Boolean)
        .map((name) => ({ ...record, text: () => name })),
    ),
    (record) => record.text('waits_for'),
  )
  const ages: ChartSpec = {
    type: 'bar',
    title: text('report.waiting.by_age'),
    labels: counts.map((_, index) => text(`report.waiting.age_${index}`)),
    series: [{ name: text('report.unit.items'), values: counts }],
    unit: text('report.unit.items'),
  }
  if (people.length < 2) return [ages]
  const byPerson: ChartSpec = {
    type: 'bar',
    title: text('report.waiting.by_person'),
    labels: people.map((group) => group.key),
    series: [{ name: text('report.unit.items'), values: people.map((group) => group.records.length) }],
    unit: text('report.unit.items'),
  }
  return [ages, byPerson]
}

function tableOf(waiting: readonly TableRecord[], rows: number, ctx: BuildContext): TableBlock {
  const { text, at } = ctx
  const columns = ['kind', 'person', 'waits_for', 'age', 'number'].map((name) =>
    text(`report.waiting.column.${name}`),
  )
  return {
    columns,
    rows: waiting
      .slice(0, rows)
      .map((record) => [
        ...[record.text('kind'), record.text('person'), record.text('waits_for') || '—'],
        ...[durationText(at - record.number('since'), ctx), record.text('number')],
      ]),
    total: waiting.length,
  }
}

/** `3 天 4 小时`, `25 分钟`: two units at most. */
export function durationText(ms: number, { text }: Pick<BuildContext, 'text'>): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000))
  const [days, hours] = [Math.floor(minutes / 1_440), Math.floor(minutes / 60) % 24]
  if (days > 0)
    return text(hours > 0 ? 'report.duration.days_hours' : 'report.duration.days', { days, hours })
  const rest = { hours, minutes: minutes % 60 }
  if (hours > 0)
    return text(rest.minutes > 0 ? 'report.duration.hours_minutes' : 'report.duration.hours', rest)
  return text('report.duration.minutes', { minutes })
}

function cutNotes(table: Table | undefined, ctx: BuildContext): string[] {
  return table === undefined || table.rows.length === 0 ? [] : stateNotes(table, undefined, ctx)
}
