/** What the store needs from a database beside Kysely's own dialect. One file per database implements it. */
import type { ColumnDefinitionBuilder, Dialect } from 'kysely'

export interface StoreDialect {
  readonly name: 'sqlite' | 'postgres'
  readonly kysely: Dialect
  /** Type of a row id that the database hands out, rising. */
  readonly rowIdType: 'integer' | 'bigserial'
  /** Makes a column the self-rising primary key. */
  rowId(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder
  /** Refuses to go on with a damaged database. */
  check(): Promise<void>
}
