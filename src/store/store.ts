/**
 * The one truth: everything that must survive a crash is here. This room knows tables, transactions
 * and full disks; it does not know what a row means. Repositories live beside it and take either the
 * database or an open transaction.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Kysely, type Transaction } from 'kysely'
import { Migrator } from 'kysely/migration'
import { AppError } from '../protocol/errors.ts'
import type { Logger } from '../protocol/ports.ts'
import { createBallast } from './ballast.ts'
import type { StoreDialect } from './dialects/dialect.ts'
import { createPostgresDialect } from './dialects/postgres.ts'
import { createSqliteDialect } from './dialects/sqlite.ts'
import { migrations } from './migrations/index.ts'
import type { Database } from './schema.ts'

/** What a repository works on: the database, or a transaction somebody else opened. */
export type Db = Kysely<Database> | Transaction<Database>

/** SQLite in this process or PostgreSQL, with the same promises. */
export interface Store {
  readonly db: Kysely<Database>
  /**
   * Runs `work` in one write transaction. Inside, use only `trx`: there is one connection, and a
   * query on `db` would wait for the transaction that waits for it.
   */
  transaction<T>(work: (trx: Transaction<Database>) => Promise<T>): Promise<T>
  /**
   * Like {@link Store.transaction}, but the commit reaches the disk only with the next that waits for it. A
   * crash of the process loses nothing; a power cut may take back the newest ones, in order. For taking up
   * work that would simply be taken up again.
   */
  transactionSoon<T>(work: (trx: Transaction<Database>) => Promise<T>): Promise<T>
  /** {@link Store.transactionSoon} for work that is one statement, and needs no transaction to be whole. */
  statementSoon<T>(work: (db: Db) => Promise<T>): Promise<T>
  /** Rejects with `store.full`, `store.locked` … when nothing can be written right now. */
  probe(): Promise<void>
  close(): Promise<void>
}

export interface StoreOptions {
  readonly dataDir: string
  /** `postgres://…`: a database that several processes share. Without it, the embedded one in `dataDir`. */
  readonly database?: string | undefined
  /**
   * What becomes of a database that an older version has made. `upgrade` is for the service alone: it brings it up to
   * date, and the older version does not start on it any more. Who only looks takes it as it is (`read`); who must
   * write rejects with `store.older_schema` (`refuse`). Default `upgrade`.
   */
  readonly older?: Older
  readonly logger: Logger
}

/** See {@link StoreOptions.older}. */
export type Older = 'upgrade' | 'read' | 'refuse'

/** Opens the database, makes or upgrades it; rejects with a `store.*` error and a hint. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dataDir, database, logger, older } = options
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  if (database !== undefined) return openWithDialect(createPostgresDialect(database), logger, older)
  const store = await openWithDialect(createSqliteDialect(join(dataDir, 'yizhan.db')), logger, older)
  return withBallast(store, options)
}

/** Opens a store over any dialect; contract tests use it with a database of their own. */
export async function openWithDialect(
  dialect: StoreDialect,
  logger: Logger,
  older: Older = 'upgrade',
): Promise<Store> {
  const db = new Kysely<Database>({ dialect: dialect.kysely })
  await dialect.check()
  await migrate(db, dialect, { logger, older })
  const soon = dialect.soon && new Kysely<Database>({ dialect: dialect.soon })
  return {
    db,
    transaction: (work) => db.transaction().execute(work),
    transactionSoon: (work) => (soon ?? db).transaction().execute(work),
    // Beside the transactions of other processes a statement keeps its turn as one of them.
    statementSoon: (work) => (soon ? work(soon) : db.transaction().execute(work)),
    probe: async () => {
      await db
        .insertInto('locks')
        .values({ name: 'probe', owner: 'probe', until: 0 })
        .onConflict((oc) => oc.column('name').doUpdateSet((eb) => ({ until: eb('locks.until', '+', 1) })))
        .execute()
    },
    close: () => db.destroy(),
  }
}

async function migrate(
  db: Kysely<Database>,
  dialect: StoreDialect,
  { logger, older }: { readonly logger: Logger; readonly older: Older },
): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations(dialect) } })
  const known = new Set(Object.keys(migrations(dialect)))
  const all = await migrator.getMigrations()
  const ahead = all.length === known.size ? await unknownMigrations(db, known) : []
  if (ahead.length > 0) throw newerSchema(ahead)
  const pending = all.filter(({ executedAt }) => executedAt === undefined)
  const isOlder = pending.length > 0 && pending.length < all.length
  if (isOlder && older === 'read') return
  if (isOlder && older === 'refuse') throw olderSchema()
  const { error, results } = await migrator.migrateToLatest()
  const done = (results ?? []).filter(({ status }) => status === 'Success').map((one) => one.migrationName)
  if (!isOlder && done.length > 0) logger.info({ migrations: done.length }, 'database made')
  else for (const migration of done) logger.info({ migration }, 'database migrated')
  if (error) {
    throw error instanceof AppError
      ? error
      : new AppError(
          'store.migration_failed',
          `the database could not be brought up to date: ${String(error)}`,
          {
            cause: error,
            hint: 'Nothing was changed. Keep the database file and report the message above.',
            params: { reason: String(error) },
          },
        )
  }
}

function newerSchema(ahead: readonly string[]): AppError {
  const versions = ahead.join(', ')
  return new AppError('store.newer_schema', `the database was written by a newer version (${versions})`, {
    hint: 'Start the newer version again, or restore the backup taken before the upgrade. A downgrade would lose data.',
    params: { versions },
  })
}

function olderSchema(): AppError {
  return new AppError(
    'store.older_schema',
    'the service that runs is of an older version than this command',
    {
      hint: 'Restart the service with this version first: it brings the database up to date.',
    },
  )
}

/** Names of applied migrations that this version does not have. */
async function unknownMigrations(db: Kysely<Database>, known: ReadonlySet<string>): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some((table) => table.name === 'kysely_migration')) return []
  const rows = await db
    .selectFrom('kysely_migration' as never)
    .select('name' as never)
    .execute()
  return (rows as { name: string }[]).map((row) => row.name).filter((name) => !known.has(name))
}

function withBallast(store: Store, options: StoreOptions): Store {
  const ballast = createBallast(join(options.dataDir, 'ballast'), options.logger)
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      ballast.onError(error)
      throw error
    }
  }
  return {
    ...store,
    transaction: (work) => guarded(() => store.transaction(work)),
    transactionSoon: (work) => guarded(() => store.transactionSoon(work)),
    statementSoon: (work) => guarded(() => store.statementSoon(work)),
    probe: async () => {
      await guarded(() => store.probe())
      ballast.restore()
    },
  }
}
