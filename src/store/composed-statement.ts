/**
 * One statement for any number of items, on the way of every event. Building and compiling a statement of
 * many rows costs more than running it, so the texts of a few sizes are kept (powers of two) and a group of
 * items runs as several of them, in the caller's transaction.
 */
import type { CompiledQuery } from 'kysely'
import type { Db } from './store.ts'

/** @returns runs the statement over all items and returns the rows that it gave */
export function createComposedStatement<Item, Row>(
  compile: (db: Db, items: readonly Item[]) => CompiledQuery<Row>,
  /** Of one item, in the order of the compiled text. */
  parametersOf: (item: Item) => readonly unknown[],
): (db: Db, items: readonly Item[]) => Promise<Row[]> {
  const compiled = new Map<number, CompiledQuery<Row>>()
  return async (db, items) => {
    const rows: Row[] = []
    for (let at = 0; at < items.length; ) {
      const size = 2 ** Math.floor(Math.log2(items.length - at))
      const part = items.slice(at, at + size)
      const statement = compiled.get(size) ?? compile(db, part)
      compiled.set(size, statement)
      const answer = await db.executeQuery<Row>({ ...statement, parameters: part.flatMap(parametersOf) })
      rows.push(...answer.rows)
      at += size
    }
    return rows
  }
}
