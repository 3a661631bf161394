/** What the reports about the service itself share: their parameters, and a period with the one before it. */
import { z } from 'zod'
import { PERIODS, type PeriodName, periodOf } from '../period.ts'
import type { BuildContext } from '../report.ts'
import type { SourceRequest } from '../sources/source.ts'

export const serviceParams = z.strictObject({
  period: z.enum(PERIODS).default('yesterday'),
  rows: z.int().min(0).max(50).default(10),
  attach: z
    .array(z.enum(['xlsx', 'csv', 'pdf']))
    .max(3)
    .default([]),
})

/** Rows of one table in the period and in the one that it is compared with. */
export function serviceSources(of: 'runs' | 'tool_calls') {
  return (
    { period }: { readonly period: PeriodName },
    { at, timezone }: Pick<BuildContext, 'at' | 'timezone'>,
  ): Record<'now' | 'before', SourceRequest> => {
    const { now, before } = periodOf(period, at, timezone)
    return { now: { type: 'service', of, span: now }, before: { type: 'service', of, span: before } }
  }
}
