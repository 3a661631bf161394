/** What the store needs from a database beside Kysely's own dialect. One file per database implements it. */
import type { ColumnDefinitionBuilder, CompiledQuery, Dialect, QueryResult } from 'kysely'

/** When a commit counts: once it is on disk, or at once, to be flushed with the next that must be. */
export type Flush = 'now' | 'later'

/** An adapter may take compiled statements of no transaction without Kysely's way to a connection, which costs more than they do. */
export interface Shortcut {
  execute<R>(query: CompiledQuery): Promise<QueryResult<R>>
}

export function hasShortcut(adapter: object): adapter is Shortcut {
  return 'execute' in adapter
}

export interface StoreDialect {
  readonly name: 'sqlite' | 'postgres'
  readonly kysely: Dialect
  /** The same database, its commits flushed with the next that must be; undefined where it gathers flushes itself. */
  readonly soon: Dialect | undefined
  /** Type of a row id that the database hands out, rising. */
  readonly rowIdType: 'integer' | 'bigserial'
  /** Makes a column the self-rising primary key. */
  rowId(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder
  /** Refuses to go on with a damaged database. */
  check(): Promise<void>
}
