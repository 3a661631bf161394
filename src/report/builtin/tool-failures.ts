/** Which tools failed, how often, and with what. */
import type { Figure } from '../content.ts'
import { periodOf, periodText } from '../period.ts'
import { groupedBy, recordsOf, type TableRecord } from '../records.ts'
import { type BuildContext, defineReport } from '../report.ts'
import { stateNotes } from '../view.ts'
import { serviceParams, serviceSources } from './service.ts'

export const toolFailures = defineReport({
  name: 'tool_failures',
  about: 'report.about.tool_failures',
  params: serviceParams,
  sources: serviceSources('tool_calls'),
  build: (given, data, ctx) => {
    const { text } = ctx
    const period = periodOf(given.period, ctx.at, ctx.timezone)
    const calls = recordsOf(data.now)
    const failed = calls.filter((record) => record.cell('ok') === false)
    const byTool = groupedBy(failed, (record) => record.text('tool'))
    const name = text(`report.before_name.${period.name}`)
    return {
      title: text('report.failures.title'),
      period: periodText(period, ctx.timezone, text),
      notes: [...(data.now === undefined ? [] : stateNotes(data.now, period, ctx))],
      ...(calls.length > 0 && failed.length === 0 && { remark: text('report.failures.none') }),
      figures: calls.length === 0 ? [] : figuresOf(calls, recordsOf(data.before), name, ctx),
      charts:
        byTool.length < 2
          ? []
          : [
              {
                ...{ type: 'bar', title: text('report.failures.by_tool'), unit: text('report.unit.times') },
                labels: byTool.map((group) => group.key),
                series: [
                  {
                    name: text('report.failures.failed'),
                    values: byTool.map((group) => group.records.length),
                  },
                ],
              },
            ],
      tables: [{ ...tableOf(calls, failed, ctx), rows: rowsOf(calls, failed).slice(0, given.rows) }],
      sheets: [
        { name: text('report.failures.title'), ...tableOf(calls, failed, ctx), rows: rowsOf(calls, failed) },
      ],
      attach: given.attach,
    }
  },
})

function figuresOf(
  now: readonly TableRecord[],
  before: readonly TableRecord[],
  name: string,
  { text }: BuildContext,
): Figure[] {
  const failures = (records: readonly TableRecord[]): number =>
    records.filter((record) => record.cell('ok') === false).length
  const earlier = (of: (records: readonly TableRecord[]) => number): Pick<Figure, 'before'> => ({
    before: { name, value: before.length === 0 ? undefined : of(before) },
  })
  const share = (records: readonly TableRecord[]): number => failures(records) / records.length
  const unit = text('report.unit.times')
  return [
    {
      label: text('report.failures.calls'),
      value: now.length,
      unit,
      ...earlier((records) => records.length),
    },
    {
      label: text('report.failures.failed'),
      value: failures(now),
      unit,
      better: 'down',
      ...earlier(failures),
    },
    { label: text('report.failures.share'), value: share(now), unit: '%', better: 'down', ...earlier(share) },
  ]
}

function tableOf(
  calls: readonly TableRecord[],
  failed: readonly TableRecord[],
  { text }: BuildContext,
): { columns: string[]; total: number } {
  return {
    columns: ['tool', 'error', 'failed', 'calls', 'message'].map((name) =>
      text(`report.failures.column.${name}`),
    ),
    total: rowsOf(calls, failed).length,
  }
}

/** One row for each tool and kind of error, with the newest message. */
function rowsOf(calls: readonly TableRecord[], failed: readonly TableRecord[]): (string | number)[][] {
  const called = new Map(
    groupedBy(calls, (record) => record.text('tool')).map((group) => [group.key, group.records.length]),
  )
  return groupedBy(failed, (record) => `${record.text('tool')}\n${record.text('error')}`).map(
    ({ records }) => {
      const newest = records.at(-1)
      const tool = newest?.text('tool') ?? ''
      return [
        tool,
        newest?.text('error') ?? '',
        records.length,
        called.get(tool) ?? 0,
        newest?.text('message') ?? '',
      ]
    },
  )
}
