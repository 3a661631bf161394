/** The process that reads one SQLite file for one query. Started by `sqlite.ts`, which ends it. */
import { constants, DatabaseSync } from 'node:sqlite'
import { createGatherer } from './gather.ts'
import type { SqliteAnswer, SqliteTask } from './sqlite.ts'

/** Steps of a plain query. Everything else, ATTACH and PRAGMA included, is denied by SQLite itself. */
const HARMLESS = new Set([
  constants.SQLITE_SELECT,
  constants.SQLITE_READ,
  constants.SQLITE_RECURSIVE,
  constants.SQLITE_FUNCTION,
])
const REFUSED_FUNCTIONS = new Set(['load_extension', 'readfile', 'writefile', 'edit', 'fts3_tokenizer'])

process.once('message', (task: SqliteTask) => {
  process.send?.(read(task))
})

function read(task: SqliteTask): SqliteAnswer {
  let database: DatabaseSync
  try {
    database = new DatabaseSync(task.path, { readOnly: true, timeout: 2_000, allowExtension: false })
    database.exec('PRAGMA query_only = 1')
    // A file that is not a database is found out only by reading it.
    database.prepare('SELECT count(*) FROM sqlite_schema').get()
  } catch (error) {
    return { type: 'unavailable', message: messageOf(error) }
  }
  database.setAuthorizer((action, _first, second) =>
    HARMLESS.has(action) && !(action === constants.SQLITE_FUNCTION && REFUSED_FUNCTIONS.has(String(second)))
      ? constants.SQLITE_OK
      : constants.SQLITE_DENY,
  )
  try {
    const statement = database.prepare(task.query)
    statement.setReadBigInts(true)
    statement.setReturnArrays(true)
    const columns = statement.columns().map((column) => column.name)
    const gatherer = createGatherer(task)
    for (const row of statement.iterate(...task.values)) {
      if (!gatherer.add(Array.isArray(row) ? row : Object.values(row))) break
    }
    const table = gatherer.table(columns)
    return { type: 'table', columns: [...columns], rows: table.rows.map((row) => [...row]), cut: table.cut }
  } catch (error) {
    return { type: 'failed', message: messageOf(error) }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
