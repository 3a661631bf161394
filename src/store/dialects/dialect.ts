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
  /** How the next transaction of the connection commits; never called inside one. */
  setFlush(flush: Flush): void
  /** Refuses to go on with a damaged database. */
  check(): Promise<void>
}
