/** MySQL and MariaDB through one connection for one query, inside a read-only transaction. */
import type { Connection } from 'mysql2'
import { isAppError } from '../../protocol/errors.ts'
import type { Table } from '../table.ts'
import { sourceTimeout, sourceUnavailable, sqlFailed } from './failure.ts'
import { createGatherer, exactNumberOrText } from './gather.ts'
import type { SqlRead, SqlReader } from './source.ts'

const CONNECT_MS = 5_000

export function createMysqlReader(name: string, url: string): SqlReader {
  return {
    read: async (request) => {
      const { limits, signal } = request
      signal.throwIfAborted()
      const connection = await connect(name, url)
      const deadline = AbortSignal.timeout(limits.timeoutMs)
      const stop = (): void => connection.destroy()
      const ending = AbortSignal.any([signal, deadline])
      ending.addEventListener('abort', stop, { once: true })
      try {
        await prepare(connection, request)
        return await collect(connection, request, ending)
      } catch (error) {
        signal.throwIfAborted()
        throw deadline.aborted ? sourceTimeout(name, limits.timeoutMs) : failureOf(error, name)
      } finally {
        ending.removeEventListener('abort', stop)
        connection.destroy()
      }
    },
  }
}

async function connect(name: string, url: string): Promise<Connection> {
  const { createConnection } = await import('mysql2')
  const connection = createConnection({
    uri: url,
    connectTimeout: CONNECT_MS,
    multipleStatements: false,
    dateStrings: true,
    supportBigNumbers: true,
    rowsAsArray: true,
    charset: 'utf8mb4',
  })
  connection.on('error', () => undefined)
  return new Promise((resolve, reject) => {
    connection.connect((error) => {
      if (error) reject(sourceUnavailable(name, error.message, error))
      else resolve(connection)
    })
  })
}

/** Read-only, with the server's own time limit (MySQL's word for it, then MariaDB's). */
async function prepare(connection: Connection, { limits, timezone, at }: SqlRead): Promise<void> {
  const offset = new Intl.DateTimeFormat('en', { timeZone: timezone, timeZoneName: 'longOffset' })
    .formatToParts(at)
    .find((part) => part.type === 'timeZoneName')
    ?.value.replace('GMT', '')
  await run(connection, 'SET SESSION TRANSACTION READ ONLY')
  await run(connection, `SET SESSION MAX_EXECUTION_TIME = ${limits.timeoutMs}`).catch(() =>
    run(connection, `SET SESSION max_statement_time = ${limits.timeoutMs / 1_000}`),
  )
  await run(connection, `SET SESSION time_zone = '${offset || '+00:00'}'`)
  await run(connection, 'START TRANSACTION READ ONLY')
}

function run(connection: Connection, statement: string): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.query(statement, (error) => (error ? reject(error) : resolve()))
  })
}

/** By a server-side prepared statement, which takes one statement only; rows are read as they come. */
function collect(
  connection: Connection,
  { query, values, limits }: SqlRead,
  ending: AbortSignal,
): Promise<Table> {
  const gatherer = createGatherer(limits)
  let fields: readonly Field[] = []
  const table = (): Table => gatherer.table(fields.map((field) => field.name))
  return new Promise((resolve, reject) => {
    ending.addEventListener('abort', () => reject(ending.reason), { once: true })
    const reading = connection.execute({ sql: query, values: [...values], rowsAsArray: true })
    reading.on('fields', (described: readonly Field[]) => {
      fields = described
    })
    reading.on('result', (row: unknown[]) => {
      // The connection is closed right after: what still comes is not read.
      if (!gatherer.add(row.map((value, index) => cellValue(value, fields[index])))) resolve(table())
    })
    reading.on('error', reject)
    reading.on('end', () => resolve(table()))
  })
}

interface Field {
  readonly name: string
  readonly columnType?: number
}

/** Column types of the wire protocol that travel as text: DECIMAL, NEWDECIMAL, BIGINT. */
const NUMBERS_AS_TEXT = new Set([0, 246, 8])

function cellValue(value: unknown, field: Field | undefined): unknown {
  if (typeof value !== 'string' || !NUMBERS_AS_TEXT.has(field?.columnType ?? -1)) return value
  return exactNumberOrText(value)
}

function failureOf(error: unknown, name: string): unknown {
  if (isAppError(error)) return error
  const text = error instanceof Error ? error.message : String(error)
  const known = error instanceof Error && 'sqlState' in error && typeof error.sqlState === 'string'
  return known ? sqlFailed(name, text) : sourceUnavailable(name, text, error)
}
