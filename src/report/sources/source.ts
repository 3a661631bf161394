/** Where rows come from, and how many may come. */
import type { Span } from '../period.ts'
import type { Table } from '../table.ts'

/** One thing to read. `optional` sources that are away become a note instead of an error. */
export type SourceRequest = { readonly optional?: boolean } & (
  | {
      readonly type: 'sql'
      readonly source: string
      readonly query: string
      /** Values of `:name` placeholders. */
      readonly values: Readonly<Record<string, string | number>>
    }
  | { readonly type: 'file'; readonly source: string; readonly sheet?: string }
  | { readonly type: 'json'; readonly source: string }
  /** Company approvals that are under way, one row for each person who is waited for. */
  | { readonly type: 'company_approvals'; readonly span: Span }
  | { readonly type: 'service'; readonly of: 'runs' | 'tool_calls'; readonly span: Span }
  | { readonly type: 'service'; readonly of: 'approvals_waiting' }
)

export interface ReadLimits {
  readonly rows: number
  readonly bytes: number
  readonly timeoutMs: number
}

export interface SqlRead {
  readonly query: string
  readonly values: readonly (string | number)[]
  readonly limits: ReadLimits
  /** Zone and instant of the report: what the database takes for local time. */
  readonly timezone: string
  readonly at: number
  readonly signal: AbortSignal
}

/** A connection's side of a query: read-only, bounded. Rejects with `report.*` errors. */
export interface SqlReader {
  read(request: SqlRead): Promise<Table>
}
