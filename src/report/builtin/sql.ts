/** Any query over a database of the configuration, for a period and the one before it. */
import { z } from 'zod'
import { instantText, PERIODS, type Period, periodOf, type Span } from '../period.ts'
import { type BuildContext, defineReport } from '../report.ts'
import type { SourceRequest } from '../sources/source.ts'
import { viewParams, viewTable } from '../view.ts'

const params = z.strictObject({
  source: z.string().min(1).describe('name of a database in reports.sources'),
  query: z
    .string()
    .min(1)
    .max(20_000)
    .describe(
      'one SELECT; :from and :to (not included) are the period, :from_ms and :to_ms in milliseconds, :today the day',
    ),
  period: z.enum(PERIODS).optional().describe('the period of :from and :to'),
  compare: z.boolean().default(true).describe('run the query for the period before, too'),
  ...viewParams,
})

export const sql = defineReport({
  name: 'sql',
  about: 'report.about.sql',
  params,
  sources: (given, ctx): Record<'now' | 'before', SourceRequest | undefined> => {
    const period = given.period && periodOf(given.period, ctx.at, ctx.timezone)
    const query = (span: Span | undefined): SourceRequest => ({
      ...{ type: 'sql', source: given.source, query: given.query, values: valuesOf(span, ctx) },
    })
    const compared = period !== undefined && given.compare && given.figures.length > 0
    return { now: query(period?.now), before: compared ? query(period.before) : undefined }
  },
  build: (given, { now, before }, ctx) => {
    const period: Period | undefined = given.period && periodOf(given.period, ctx.at, ctx.timezone)
    return viewTable(
      given,
      { title: given.source, period, now: now ?? { columns: [], rows: [] }, before },
      ctx,
    )
  },
})

/** Values of the placeholders; without a period there is no `:from`. */
export function valuesOf(
  span: Span | undefined,
  { at, timezone }: BuildContext,
): Record<string, string | number> {
  const today = instantText(at, timezone).slice(0, 10)
  if (span === undefined) return { today, now_ms: at }
  return {
    ...{ today, now_ms: at, from_ms: span.from, to_ms: span.to },
    from: instantText(span.from, timezone),
    to: instantText(span.to, timezone),
  }
}
