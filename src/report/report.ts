/** A report is one file that exports `defineReport({...})`: what it reads, and what it makes of it. */
import type { z } from 'zod'
import type { ReportContext } from '../protocol/report.ts'
import type { ReportContent } from './content.ts'
import type { SourceRequest } from './sources/source.ts'
import type { Table } from './table.ts'

export type BuildContext = Pick<
  ReportContext,
  'at' | 'timezone' | 'locale' | 'text' | 'address' | 'requester'
>

export interface ReportDefinition<Params extends z.ZodObject = z.ZodObject, Name extends string = string> {
  readonly name: string
  /** Locale key of one short phrase. */
  readonly about: string
  readonly params: Params
  /** What to read, by name. All at once; one that fails fails the report unless it is `optional`. */
  sources(params: z.output<Params>, ctx: BuildContext): Readonly<Record<Name, SourceRequest | undefined>>
  /** Pure: the same data gives the same report. A source that is away is undefined, and said already. */
  build(
    params: z.output<Params>,
    data: Readonly<Record<Name, Table | undefined>>,
    ctx: BuildContext,
  ): ReportContent
}

/** Any report, as the room holds it. */
// biome-ignore lint/suspicious/noExplicitAny: parameters are parsed with each report's own schema.
export type AnyReport = ReportDefinition<any, string>

/** Declares a report; the types of `sources` and `build` follow from `params`. */
export function defineReport<Params extends z.ZodObject, Name extends string>(
  report: ReportDefinition<Params, Name>,
): ReportDefinition<Params, Name> {
  return report
}
