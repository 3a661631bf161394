/**
 * SQLite through `node:sqlite`: WAL, `synchronous=FULL` (a commit is on disk when it returns), commits
 * shared by a group and begun with `BEGIN IMMEDIATE` (a read that turns into a write in a deferred one
 * fails at once with SQLITE_BUSY_SNAPSHOT), a busy timeout, statements compiled once.
 */
import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import {
  type CompiledQuery,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { AppError } from '../../protocol/errors.ts'
import type { Flush, Shortcut, StoreDialect } from './dialect.ts'
import {
  createGroupCommitDriver,
  type GroupCommitDriver,
  type GroupedDatabase,
  type GroupedStatement,
} from './group-commit.ts'

const BUSY_TIMEOUT_MS = 2_000
const STATEMENTS_KEPT = 300

export function createSqliteDialect(file: string): StoreDialect {
  refuseOrphanedWal(file)
  const database = openDatabase(file)
  const driver = createGroupCommitDriver(asGroupedDatabase(database))
  return {
    name: 'sqlite',
    kysely: groupedDialect(driver, 'now'),
    soon: groupedDialect(driver, 'later'),
    rowIdType: 'integer',
    rowId: (column) => column.primaryKey().autoIncrement(),
    check: async () => quickCheck(database, file),
  }
}

function groupedDialect(driver: GroupCommitDriver, flush: Flush): Dialect {
  return {
    createAdapter: () => new GroupedAdapter(driver, flush),
    createDriver: (): Driver => (flush === 'now' ? driver : driver.later()),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

class GroupedAdapter extends SqliteAdapter implements Shortcut {
  readonly #driver: GroupCommitDriver
  readonly #flush: Flush

  constructor(driver: GroupCommitDriver, flush: Flush) {
    super()
    this.#driver = driver
    this.#flush = flush
  }

  execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#driver.execute<R>(query, this.#flush)
  }

  /** Kysely runs migrations one statement at a time unless it is told that SQLite can take tables back. */
  override get supportsTransactionalDdl(): boolean {
    return true
  }

  /** The driver lets one in after the other itself: Kysely would wait for each commit in between. */
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

function openDatabase(file: string): DatabaseSync {
  try {
    keepPrivate(file)
    const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;')
    database.exec('PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -8000; PRAGMA temp_store = MEMORY;')
    return database
  } catch (cause) {
    throw sqliteError(cause, file)
  }
}

/** SQLite would make the file readable for everybody; its log and index take the database's mode. */
function keepPrivate(file: string): void {
  if (file === ':memory:') return
  closeSync(openSync(file, 'a', 0o600))
  for (const one of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(one)) chmodSync(one, 0o600)
}

/** A log without its database means that the database was moved or deleted: never start an empty one beside it. */
function refuseOrphanedWal(file: string): void {
  if (file === ':memory:' || existsSync(file) || !existsSync(`${file}-wal`)) return
  throw new AppError('store.missing', `${file} is missing, but its log ${file}-wal is there`, {
    hint: `Put ${file} back beside its log (from the backup or where it was moved to). To start empty on purpose, remove ${file}-wal first.`,
    params: { file },
  })
}

function quickCheck(database: DatabaseSync, file: string): void {
  let answer: unknown
  try {
    answer = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})[0]
  } catch (cause) {
    throw sqliteError(cause, file)
  }
  if (answer === 'ok') return
  throw new AppError('store.corrupt', `${file} is damaged: ${String(answer)}`, {
    hint: `Stop the service, keep a copy of ${file}, ${file}-wal and ${file}-shm, and restore the last backup (or run: sqlite3 ${file} .recover).`,
    params: { file },
  })
}

function asGroupedDatabase(database: DatabaseSync): GroupedDatabase {
  const statements = new Map<string, GroupedStatement>()
  return {
    close: () => database.close(),
    isInTransaction: () => database.isTransaction,
    // In WAL mode NORMAL leaves out only the flush of a commit; the order of commits is kept. A pragma takes
    // effect when it is compiled, so it is no statement to be kept.
    setFlush: (flush) => database.exec(`PRAGMA synchronous = ${flush === 'now' ? 'FULL' : 'NORMAL'}`),
    prepare: (sql) => {
      const known = statements.get(sql)
      if (known) return known
      const made = wrap(() => database.prepare(sql))
      if (statements.size >= STATEMENTS_KEPT) statements.clear()
      statements.set(sql, made)
      return made
    },
  }
}

function wrap(prepare: () => StatementSync): GroupedStatement {
  const statement = guarded(prepare)
  const bind = (parameters: readonly unknown[]): SQLInputValue[] => parameters.map(toSqlite)
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => guarded(() => statement.all(...bind(parameters))),
    run: (parameters) => guarded(() => statement.run(...bind(parameters))),
  }
}

function toSqlite(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === undefined) return null
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value
  if (value instanceof Uint8Array) return value
  throw new TypeError(`a ${typeof value} cannot be stored; turn it into JSON text first`)
}

function guarded<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw sqliteError(cause, 'the database')
  }
}

/** SQLite result codes that an operator can do something about; anything else passes unchanged. */
function sqliteError(cause: unknown, file: string): unknown {
  const code = cause instanceof Error ? resultCode(cause) : 0
  const about = { cause, params: { file } }
  if (code === 13)
    return new AppError('store.full', `the disk under ${file} is full`, {
      ...about,
      retryable: true,
      hint: 'Free some space on that disk; the service goes on by itself.',
    })
  if (code === 5 || code === 6)
    return new AppError('store.locked', `${file} is locked by another process`, {
      ...about,
      retryable: true,
      hint: 'Another program holds the database open for writing (a backup, a second service?). Close it.',
    })
  if (code === 11 || code === 26)
    return new AppError('store.corrupt', `${file} is damaged`, {
      ...about,
      hint: 'Stop the service and restore the last backup; keep the damaged files.',
    })
  if (code === 14 || code === 8)
    return new AppError('store.unwritable', `${file} cannot be opened for writing`, {
      ...about,
      hint: 'Check that dataDir exists and belongs to the user that runs the service.',
    })
  return cause
}

/** SQLite's primary result code; for an error of the file system, the one that SQLite would give. */
function resultCode(error: Error): number {
  if ('errcode' in error) return Number(error.errcode) & 0xff
  if (!('syscall' in error)) return 0
  // Some file systems notice only when they write down what they took before that there is no room.
  return 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT') ? 13 : 14
}
