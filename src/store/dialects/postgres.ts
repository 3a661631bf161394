/**
 * PostgreSQL through `pg`, for several processes on one database. Transactions take one advisory lock,
 * so that they follow each other as they do in SQLite: the repositories are written for one writer at a
 * time, and are the same here. Single statements go on beside them.
 */
import { PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import type { PoolClient, PoolConfig } from 'pg'
import { AppError } from '../../protocol/errors.ts'
import type { StoreDialect } from './dialect.ts'

/** Names the lock among other users of the same database: the bytes of `yizh`. */
const WRITER_LOCK = 0x79697a68
/** A writer that stands still is cut off, so that the others go on; nothing here takes this long. */
const STANDSTILL_MS = 15_000
const STATEMENT_MS = 30_000
const CONNECT_MS = 5_000
const CONNECTIONS = 10
/** bigint and numeric: everything stored in them is a count, a size or milliseconds, far below 2⁵³. */
const NUMBERS: ReadonlySet<number> = new Set([20, 1700])
const OLDEST_SERVER = 120_000

/** @param url `postgres://user:password@host:port/database`, as `pg` understands it. */
export function createPostgresDialect(url: string): StoreDialect {
  const pool = lazyPool(url)
  return {
    name: 'postgres',
    kysely: new PostgresDialect({ pool }),
    rowIdType: 'bigserial',
    rowId: (column) => column.primaryKey(),
    // The server gathers flushes of its own; every commit is on its disk when it answers.
    soon: undefined,
    check: async () => checkServer(await pool()),
  }
}

/** `pg` is loaded by those who use it. */
function lazyPool(url: string): () => Promise<PostgresPool> {
  let made: Promise<PostgresPool> | undefined
  return () => {
    made ??= openPool(url)
    return made
  }
}

async function openPool(url: string): Promise<PostgresPool> {
  const { default: pg } = await import('pg')
  const getTypeParser: NonNullable<PoolConfig['types']>['getTypeParser'] = (oid, format) =>
    NUMBERS.has(oid) && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format)
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'yizhan',
    keepAlive: true,
    types: { getTypeParser },
    options: [
      `-c lock_timeout=${STANDSTILL_MS}`,
      `-c statement_timeout=${STATEMENT_MS}`,
      `-c idle_in_transaction_session_timeout=${STANDSTILL_MS}`,
    ].join(' '),
  })
  // A connection that breaks while nobody uses it is replaced by the next query, which says so if it cannot.
  pool.on('error', () => undefined)
  return {
    options: pool.options,
    connect: async () => asKyselyClient(await guarded(() => pool.connect())),
    end: () => pool.end(),
  }
}

function asKyselyClient(client: PoolClient): PostgresPoolClient {
  let broken: Error | undefined
  const onError = (error: Error): void => {
    broken = error
  }
  client.on('error', onError)
  // Of the two forms that Kysely declares, this service uses no cursors.
  const query: unknown = (sql: string, parameters: readonly unknown[] = []) =>
    guarded(() => {
      if (sql === 'begin') return begin()
      return client.query(sql, parameters.map(toPostgres))
    })
  // Begun without the lock, it is a failed transaction that nobody rolls back: the connection is given up.
  const begin = async () => {
    try {
      return await client.query(`begin; select pg_advisory_xact_lock(${WRITER_LOCK})`)
    } catch (cause) {
      broken = cause instanceof Error ? cause : new Error(String(cause))
      throw cause
    }
  }
  return {
    query: query as PostgresPoolClient['query'],
    release: () => {
      client.off('error', onError)
      client.release(broken)
    },
  }
}

/** PostgreSQL's text holds every character but NUL. */
function toPostgres(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\u{FFFD}') : value
  if (typeof value === 'boolean') return Number(value)
  // The driver would make JSON text of an object, and a list of a list, where the embedded database refuses both.
  if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array))
    throw new TypeError('an object cannot be stored; turn it into JSON text first')
  return value
}

async function checkServer(pool: PostgresPool): Promise<void> {
  const client = await pool.connect()
  try {
    const { rows } = await client.query<{ version: string; encoding: string }>(
      "select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding",
      [],
    )
    const [found] = rows
    if (Number(found?.version) < OLDEST_SERVER)
      throw new AppError('store.old_server', `PostgreSQL ${found?.version} is too old`, {
        hint: 'Use PostgreSQL 12 or newer.',
      })
    if (found?.encoding !== 'UTF8')
      throw new AppError('store.encoding', `the database is encoded in ${found?.encoding}`, {
        hint: "Make one for texts of every language: CREATE DATABASE yizhan ENCODING 'UTF8' TEMPLATE template0.",
      })
  } finally {
    client.release()
  }
}

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw postgresError(cause)
  }
}

interface Remedy {
  readonly code: string
  readonly message: string
  readonly hint: string
  readonly retryable?: true
}

const UNREACHABLE: Remedy = {
  code: 'store.unreachable',
  message: 'the PostgreSQL database cannot be reached',
  hint:
    'Check that it runs and that `database` names its host and port. A running service goes on by itself; ' +
    'one that stopped at its start is started again.',
  retryable: true,
}

const BUSY: Remedy = {
  code: 'store.locked',
  message: 'another process keeps the database locked',
  hint: 'Look for a transaction that stands still: select * from pg_stat_activity where wait_event is not null.',
  retryable: true,
}

/** What an operator can do about it, by SQLSTATE (PostgreSQL manual, appendix A); longest prefix first. */
const REMEDIES: readonly (readonly [prefix: string, remedy: Remedy])[] = [
  [
    '53100',
    {
      code: 'store.full',
      message: 'the disk of the PostgreSQL server is full',
      hint: 'Free some space there; the service goes on by itself.',
      retryable: true,
    },
  ],
  ['55P03', BUSY],
  ['57014', BUSY],
  ['40', BUSY],
  [
    '25006',
    {
      code: 'store.unwritable',
      message: 'the database takes no writes',
      hint: 'It is a standby, or read only. Point `database` at the primary.',
      retryable: true,
    },
  ],
  [
    '28',
    {
      code: 'store.login',
      message: 'PostgreSQL refuses the login',
      hint: 'Check user and password in `database`, and pg_hba.conf on the server.',
    },
  ],
  [
    '3D000',
    {
      code: 'store.no_database',
      message: 'the database does not exist',
      hint: "Make it: CREATE DATABASE yizhan ENCODING 'UTF8' TEMPLATE template0.",
    },
  ],
  [
    '42501',
    {
      code: 'store.rights',
      message: 'the database user may not do this',
      hint: 'Make it the owner: ALTER DATABASE yizhan OWNER TO the user of `database`.',
    },
  ],
  ['08', UNREACHABLE],
  ['53', UNREACHABLE],
  ['57P', UNREACHABLE],
  ['25P03', UNREACHABLE],
]

/** The cause stays in the error; it never holds the password, which `pg` does not print. */
function postgresError(cause: unknown): unknown {
  if (!(cause instanceof Error) || cause instanceof AppError) return cause
  const remedy = 'severity' in cause ? byState(cause) : isConnectionError(cause) ? UNREACHABLE : undefined
  if (!remedy) return cause
  const { code, message, hint, retryable = false } = remedy
  return new AppError(code, `${message} (${cause.message})`, { cause, hint, retryable })
}

function byState(error: Error): Remedy | undefined {
  const state = 'code' in error ? String(error.code) : ''
  return REMEDIES.find(([prefix]) => state.startsWith(prefix))?.[1]
}

/** Errors of sockets and of `pg`'s own, which has no codes for them. */
function isConnectionError(error: Error): boolean {
  if ('syscall' in error) return true
  return /timeout|terminated|Connection ended|not queryable|socket/i.test(error.message)
}
