/**
 * One statement for any number of items, on the way of every event. Building and compiling a statement of
 * many rows costs more than running it, so the texts are kept: of every size up to a usual group's, and of
 * powers of two above. A larger group of items runs as several of them, in the caller's transaction.
 */
import type { CompiledQuery } from 'kysely'
import type { Db } from './store.ts'

/** Up to here a group is one statement: each costs as much again as one or two of its rows. */
const USUAL_GROUP = 32

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
      const left = items.length - at
      const size = left <= USUAL_GROUP ? left : 2 ** Math.floor(Math.log2(left))
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
