/**
 * Reads by a key that are wanted in the same moment are one statement: looking for one session's messages
 * among all that wait costs nearly as much as looking for those of fifty. Nobody waits for it: the moment ends
 * when everybody who can go on now has had a turn, as that of a group of writers does.
 */
import type { Compilable } from 'kysely'
import { prepare } from './prepared.ts'
import type { Db } from './store.ts'

interface Asking<Row> {
  readonly key: string
  readonly resolve: (rows: Row[]) => void
  readonly reject: (error: unknown) => void
}

/** So many keys a statement can have; a smaller number of keys is filled up by repeating one of them. */
const SIZES: readonly number[] = [1, 2, 4, 8, 16, 32, 64, 128, 256]
const MOST_KEYS = 256

/**
 * @param build writes the statement with a list of keys for `in`; what it sorts by, each answer is sorted by
 * @param keyOf tells for which key a row was wanted
 * @returns reads the rows of one key; inside a transaction at once and by itself
 */
export function gather<Row>(
  build: (db: Db, keys: readonly string[]) => Compilable<Row>,
  keyOf: (row: Row) => string,
): (db: Db, key: string) => Promise<Row[]> {
  const statements = SIZES.map((size) => ({
    size,
    statement: prepare((db, keys: readonly string[]) =>
      build(
        db,
        Array.from({ length: size }, (_, at) => keys[at] ?? ''),
      ),
    ),
  }))
  const read = async (db: Db, keys: readonly [string, ...string[]]): Promise<Row[]> => {
    const [first] = keys
    const fitting = statements.find(({ size }) => size >= keys.length)
    if (!fitting) throw new RangeError(`${keys.length} keys are too many`)
    return fitting.statement.all(
      db,
      Array.from({ length: fitting.size }, (_, at) => keys[at] ?? first),
    )
  }
  const moments = new WeakMap<object, Asking<Row>[]>()

  const answer = async (db: Db, asking: readonly Asking<Row>[]): Promise<void> => {
    const [first, ...others] = new Set(asking.map(({ key }) => key))
    if (first === undefined) return
    try {
      const rows = Map.groupBy(await read(db, [first, ...others]), keyOf)
      for (const { key, resolve } of asking) resolve([...(rows.get(key) ?? [])])
    } catch (error) {
      for (const { reject } of asking) reject(error)
    }
  }

  return (db, key) => {
    if (db.isTransaction) return read(db, [key])
    const { adapter } = db.getExecutor()
    return new Promise((resolve, reject) => {
      const asking = moments.get(adapter)
      if (asking && asking.length < MOST_KEYS) return void asking.push({ key, resolve, reject })
      const own: Asking<Row>[] = [{ key, resolve, reject }]
      moments.set(adapter, own)
      process.nextTick(() => {
        if (moments.get(adapter) === own) moments.delete(adapter)
        void answer(db, own)
      })
    })
  }
}
