/** How much the service was used, and what it cost, by day, model and chat. */
import type { ChartSpec, Figure, Sheet, TableBlock } from '../content.ts'
import { dateText, instantText, type Period, periodOf, periodText } from '../period.ts'
import { groupedBy, recordsOf, type TableRecord } from '../records.ts'
import { type BuildContext, defineReport } from '../report.ts'
import { exactSum } from '../table.ts'
import { stateNotes } from '../view.ts'
import { serviceParams, serviceSources } from './service.ts'

export const usage = defineReport({
  name: 'usage',
  about: 'report.about.usage',
  params: serviceParams,
  sources: serviceSources('runs'),
  build: (given, data, ctx) => {
    const period = periodOf(given.period, ctx.at, ctx.timezone)
    const now = recordsOf(data.now)
    const before = recordsOf(data.before)
    return {
      title: ctx.text('report.usage.title'),
      period: periodText(period, ctx.timezone, ctx.text),
      notes: data.now === undefined ? [] : stateNotes(data.now, period, ctx),
      figures: now.length === 0 ? [] : figuresOf(now, before, period, ctx),
      charts: now.length === 0 ? [] : chartsOf(now, period, ctx),
      tables:
        now.length === 0 ? [] : ['model', 'chat'].map((column) => tableOf(now, column, given.rows, ctx)),
      sheets: [sheetOf(now, data.now?.columns ?? [], ctx)],
      attach: given.attach,
    }
  },
})

function figuresOf(
  now: readonly TableRecord[],
  before: readonly TableRecord[],
  period: Period,
  { text }: BuildContext,
): Figure[] {
  const name = text(`report.before_name.${period.name}`)
  const compare = (
    label: string,
    of: (records: readonly TableRecord[]) => number | undefined,
    more: Partial<Figure> = {},
  ): Figure => ({
    label: text(`report.usage.${label}`),
    value: of(now),
    before: { name, value: before.length === 0 ? undefined : of(before) },
    ...more,
  })
  return [
    compare('runs', (records) => records.length, { unit: text('report.unit.times') }),
    compare('done', doneShare, { unit: '%' }),
    compare('input', (records) => sumOf(records, 'input_tokens')),
    compare('output', (records) => sumOf(records, 'output_tokens')),
    ...currenciesOf(now).map((currency) =>
      compare('cost', (records) => sumOf(inCurrency(records, currency), 'cost'), {
        unit: text(`report.currency.${currency === 'CNY' || currency === 'USD' ? currency : 'other'}`, {
          currency,
        }),
        better: 'down',
      }),
    ),
    compare('seconds', averageSeconds, { unit: text('report.unit.seconds'), decimals: 1, better: 'down' }),
  ]
}

/** Of the runs that are over. */
function doneShare(records: readonly TableRecord[]): number | undefined {
  const over = records.filter((record) => record.cell('seconds') !== null)
  if (over.length === 0) return undefined
  return over.filter((record) => record.text('state') === 'done').length / over.length
}

function averageSeconds(records: readonly TableRecord[]): number | undefined {
  const over = records.filter((record) => record.cell('seconds') !== null)
  return over.length === 0 ? undefined : sumOf(over, 'seconds') / over.length
}

function sumOf(records: readonly TableRecord[], column: string): number {
  return exactSum(records.map((record) => record.number(column)))
}

/** Money of different currencies is never added up. */
function currenciesOf(records: readonly TableRecord[]): string[] {
  return [
    ...new Set(
      records.filter((record) => record.cell('cost') !== null).map((record) => record.text('currency')),
    ),
  ].sort()
}

function inCurrency(records: readonly TableRecord[], currency: string): TableRecord[] {
  return records.filter((record) => record.cell('cost') !== null && record.text('currency') === currency)
}

function chartsOf(now: readonly TableRecord[], period: Period, ctx: BuildContext): ChartSpec[] {
  const { text, timezone } = ctx
  const days = daysOf(period, timezone)
  const unit = text('report.unit.times')
  if (days.length < 2) {
    const chats = groupedBy(now, (record) => record.text('chat'))
    return chats.length < 2
      ? []
      : [
          {
            ...{
              type: 'bar',
              title: text('report.usage.by_chat'),
              unit,
              labels: chats.map((group) => group.key),
            },
            series: [{ name: text('report.usage.runs'), values: chats.map((group) => group.records.length) }],
          },
        ]
  }
  const byDay = groupedBy(now, (record) => dateText(record.number('started_at'), timezone))
  const counts = new Map(byDay.map((group) => [group.key, group.records.length]))
  return [
    {
      ...{ type: days.length > 10 ? 'line' : 'bar', title: text('report.usage.by_day'), unit, labels: days },
      series: [{ name: text('report.usage.runs'), values: days.map((day) => counts.get(day) ?? 0) }],
    },
  ]
}

/** Every day of the period: one without any run is a zero, not a gap. */
function daysOf(period: Period, timezone: string): string[] {
  const days = new Set<string>()
  // Half-day steps meet every day, also those of 23 and 25 hours.
  for (let at = period.now.from; at < period.now.to; at += 43_200_000) days.add(dateText(at, timezone))
  return [...days]
}

function tableOf(
  now: readonly TableRecord[],
  column: string,
  rows: number,
  { text }: BuildContext,
): TableBlock {
  const groups = groupedBy(now, (record) => record.text(column) || '—')
  const currencies = currenciesOf(now)
  return {
    title: text(`report.usage.by_${column}`),
    columns: [
      text(`report.usage.column.${column}`),
      ...['runs', 'input', 'output'].map((name) => text(`report.usage.${name}`)),
      ...currencies.map((currency) => text('report.usage.cost_in', { currency: currency || '—' })),
    ],
    rows: groups
      .slice(0, rows)
      .map(({ key, records }) => [
        ...[key, records.length, sumOf(records, 'input_tokens'), sumOf(records, 'output_tokens')],
        ...currencies.map((currency) => sumOf(inCurrency(records, currency), 'cost')),
      ]),
    total: groups.length,
  }
}

/** Every run, with names of columns and times for people. */
function sheetOf(now: readonly TableRecord[], columns: readonly string[], ctx: BuildContext): Sheet {
  return {
    name: ctx.text('report.usage.title'),
    columns: columns.map((column) => ctx.text(`report.run.${column}`)),
    rows: now.map((record) =>
      columns.map((column) =>
        column === 'started_at' ? instantText(record.number(column), ctx.timezone) : record.cell(column),
      ),
    ),
  }
}
