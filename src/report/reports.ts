/**
 * Reports: named, checked when they are chosen, read and rendered without a model. This room knows
 * data, figures and pictures; it refuses to know when a report is due and how it reaches a chat.
 */
import { z } from 'zod'
import type { ReportsConfig } from '../config/schema.ts'
import { AppError, isAppError } from '../protocol/errors.ts'
import type { Translate } from '../protocol/ports.ts'
import type { RenderedReport, ReportContext, ReportSummary, Reports } from '../protocol/report.ts'
import { builtinReports } from './builtin/index.ts'
import type { ReportContent } from './content.ts'
import { checkQuery } from './query-check.ts'
import { type RenderingDeps, renderContent } from './rendering.ts'
import type { AnyReport } from './report.ts'
import type { Allow, SourceReader } from './sources/reader.ts'
import type { Table } from './table.ts'

export interface ReportsDeps extends RenderingDeps {
  readonly saved: ReportsConfig['saved']
  readonly reader: SourceReader
  /** Words for the list of reports. */
  readonly text: Translate
}

type Params = Readonly<Record<string, unknown>>

/** The names under which a report can be asked for: those that the configuration saves, then the built-in ones. */
export function reportNames(saved: ReportsConfig['saved']): readonly string[] {
  return [...Object.keys(saved), ...builtinReports.map(({ name }) => name)]
}

/** A report with the parameters that it will have, checked. */
interface Chosen {
  readonly report: AnyReport
  readonly params: Record<string, unknown>
  readonly allow: Allow | undefined
}

/** Reports read nothing until they are built; an unknown name or parameter is refused with what there is. */
export function createReports(deps: ReportsDeps): Reports {
  const choose = (name: string, params: Params): Chosen => {
    const saved = Object.hasOwn(deps.saved, name) ? deps.saved[name] : undefined
    const report = builtinReports.find((each) => each.name === (saved?.report ?? name))
    if (report === undefined) throw unknownReport(name, Object.keys(deps.saved))
    const changed = saved && Object.keys(params).find((key) => key !== 'attach')
    if (changed !== undefined) throw fixedParams(name, changed)
    const parsed = report.params.safeParse({ ...saved?.params, ...params })
    if (!parsed.success) throw badParams(name, parsed.error)
    checkQuery(report.name, parsed.data, deps.reader)
    return { report, params: parsed.data, allow: saved?.allow }
  }
  const build = async (name: string, params: Params, ctx: ReportContext): Promise<ReportContent> => {
    const { report, params: given, allow } = choose(name, params)
    const { tables, notes } = await readAll(report.sources(given, ctx), ctx, allow, deps.reader)
    const content = report.build(given, tables, ctx)
    return { ...content, notes: [...notes, ...content.notes] }
  }
  return {
    names: () => [
      ...savedSummaries(deps.saved),
      ...builtinReports.map((report) => summaryOf(report, deps.text)),
    ],
    validate: (name, params) => {
      try {
        choose(name, params)
        return undefined
      } catch (error) {
        if (isAppError(error)) return error
        throw error
      }
    },
    check: async (name, params, ctx) => {
      try {
        await build(name, params, ctx)
        return undefined
      } catch (error) {
        if (isAppError(error)) return error
        throw error
      }
    },
    render: async (name, params, ctx): Promise<RenderedReport> =>
      renderContent(await build(name, params, ctx), ctx, deps),
  }
}

/** Reads every source at once. What is optional and away becomes a note. */
async function readAll(
  requests: ReturnType<AnyReport['sources']>,
  ctx: ReportContext,
  allow: Allow | undefined,
  reader: SourceReader,
): Promise<{ tables: Record<string, Table | undefined>; notes: string[] }> {
  const notes: string[] = []
  const entries = await Promise.all(
    Object.entries(requests).map(async ([name, request]) => {
      if (request === undefined) return [name, undefined] as const
      try {
        return [name, await reader.read(request, ctx, allow)] as const
      } catch (error) {
        if (!isAppError(error) || request.optional !== true) throw error
        const reason = error.hint === '' ? error.message : error.hint
        notes.push(ctx.text('report.note.away', { what: ctx.text(`report.source.${request.type}`), reason }))
        return [name, undefined] as const
      }
    }),
  )
  return { tables: Object.fromEntries(entries), notes }
}

function savedSummaries(saved: ReportsConfig['saved']): ReportSummary[] {
  return Object.entries(saved).map(([name, { about }]) => ({ name, about, params: [] }))
}

function summaryOf(report: AnyReport, text: Translate): ReportSummary {
  const fields = Object.entries(z.record(z.string(), z.instanceof(z.ZodType)).parse(report.params.shape))
  const params = fields.map(([name, field]) => ({
    name,
    required: !field.safeParse(undefined).success,
    about: field.description ?? '',
  }))
  const [required, others] = [params.filter((each) => each.required), params.filter((each) => !each.required)]
  return { name: report.name, about: text(report.about), params: [...required, ...others] }
}

function unknownReport(name: string, saved: readonly string[]): AppError {
  const names = [...saved, ...builtinReports.map((report) => report.name)]
  return new AppError('report.unknown', `there is no report "${name}"`, {
    hint: `Reports: ${names.join(', ')}.`,
    params: { name, names: names.join('、') },
  })
}

/** A saved report may be allowed to people who may not read its source: its query is not theirs to change. */
function fixedParams(name: string, param: string): AppError {
  return new AppError('report.fixed_params', `${name}: ${param} is fixed in the configuration`, {
    hint: 'Only "attach" may be given to a saved report.',
    params: { name, param },
  })
}

function badParams(name: string, error: z.ZodError): AppError {
  const places = error.issues.slice(0, 5).map((issue) => {
    const keys = issue.code === 'unrecognized_keys' ? ` (${issue.keys.join(', ')})` : ''
    return `${placeOf(issue.path) || 'params'}: ${issue.message}${keys}`
  })
  const example = EXAMPLES[name] ?? EXAMPLES['usage'] ?? ''
  return new AppError('report.bad_params', `${name}: ${places.join('; ')}`, {
    hint: `For example: ${example}`,
    params: { name, places: places.join('；'), example },
  })
}

/** `figures[0].unit` */
function placeOf(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at === 0 ? '' : '.'}${String(part)}`))
    .join('')
}

const EXAMPLES: Readonly<Record<string, string>> = {
  usage: '{ "period": "yesterday" }',
  approvals_waiting: '{ "days": 30 }',
  sql: '{ "source": "sales", "period": "yesterday", "query": "SELECT 部门, SUM(金额) AS 金额 FROM 销售 WHERE 日期 >= :from AND 日期 < :to GROUP BY 部门", "figures": [{ "column": "金额", "unit": "元" }], "charts": [{ "type": "bar", "x": "部门", "y": "金额" }] }',
  csv: '{ "source": "orders", "period": "yesterday", "date": "日期", "figures": [{ "column": "金额", "unit": "元" }] }',
  json: '{ "source": "rates", "figures": [{ "column": "amount" }] }',
}
