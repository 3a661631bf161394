/** What a report says, before anybody thinks about markdown, pictures or spreadsheets. */
import type { Cell } from './table.ts'

export interface Figure {
  readonly label: string
  /** Undefined: no data, said as such. */
  readonly value: number | undefined
  readonly unit?: string
  readonly decimals?: number
  /** The same figure for the period before; absent when there is no comparison. */
  readonly before?: { readonly value: number | undefined; readonly name: string }
  readonly target?: number
  /** Which direction is good news. Default `up`. */
  readonly better?: 'up' | 'down'
}

export interface ChartSpec {
  readonly type: 'bar' | 'line' | 'pie' | 'stacked'
  readonly title: string
  readonly unit?: string
  readonly labels: readonly string[]
  /** Each as long as `labels`; a gap is null. */
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[]
  /** A line across the chart. */
  readonly target?: number
}

export interface TableBlock {
  readonly title?: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  /** Rows there are in all, when more than are shown. */
  readonly total?: number
  /** Unit of each column, where one is known. */
  readonly units?: readonly (string | undefined)[]
}

export interface Sheet {
  readonly name: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
}

export type Attachment = 'xlsx' | 'csv' | 'pdf'

export interface ReportContent {
  readonly title: string
  /** The period in words. */
  readonly period?: string
  /** Empty, partial or old data, in the words of the language; shown above everything. */
  readonly notes: readonly string[]
  /** Good news that has no number: nothing waits, nothing failed. */
  readonly remark?: string
  readonly figures: readonly Figure[]
  readonly charts: readonly ChartSpec[]
  readonly tables: readonly TableBlock[]
  /** All rows, for attachments. */
  readonly sheets: readonly Sheet[]
  readonly attach: readonly Attachment[]
}
