/** What the store needs from a database beside Kysely's own dialect. One file per database implements it. */
import type { ColumnDefinitionBuilder, Dialect } from 'kysely'

/** When a commit counts: once it is on disk, or at once, to be flushed with the next that must be. */
export type Flush = 'now' | 'later'

export interface StoreDialect {
  readonly name: 'sqlite' | 'postgres'
  readonly kysely: Dialect
  /** Type of a row id that the database hands out, rising. */
  readonly rowIdType: 'integer' | 'bigserial'
  /** Makes a column the self-rising primary key. */
  rowId(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder
  /** How what is begun from now on commits; for whoever holds the connection, and never inside a transaction. */
  setFlush(flush: Flush): void
  /** Refuses to go on with a damaged database. */
  check(): Promise<void>
}
