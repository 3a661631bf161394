/**
 * PostgreSQL through one connection for one query, inside a read-only transaction, by a cursor: the
 * server itself accepts nothing but a query there, and no more rows travel than are wanted.
 */
import type { Client, QueryConfig } from 'pg'
import { isAppError } from '../../protocol/errors.ts'
import type { Table } from '../table.ts'
import { sourceTimeout, sourceUnavailable, sqlFailed } from './failure.ts'
import { createGatherer, exactNumberOrText } from './gather.ts'
import type { ReadLimits, SqlRead, SqlReader } from './source.ts'

const BATCH = 1_000
const CONNECT_MS = 5_000
/** int8 and numeric: text unless it is exact as a number. */
const INT8 = 20
const NUMERIC = 1700
/** query_canceled, lock_not_available. */
const TIMEOUTS = new Set(['57014', '55P03'])

export function createPostgresReader(name: string, url: string): SqlReader {
  return {
    read: async (request) => {
      const { limits, signal } = request
      signal.throwIfAborted()
      const client = await connect(name, url, limits)
      const reading = readByCursor(client, request)
      try {
        return await Promise.race([reading, untilAborted(signal)])
      } catch (error) {
        signal.throwIfAborted()
        throw failureOf(error, name, limits)
      } finally {
        // The server ends an abandoned query at its own limit; nobody here waits for that.
        void reading.catch(() => undefined).then(() => client.end().catch(() => undefined))
      }
    },
  }
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    // It may have been given up while the connection was being made.
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

async function connect(name: string, url: string, limits: ReadLimits): Promise<Client> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({
    connectionString: url,
    application_name: 'yizhan-reports',
    connectionTimeoutMillis: CONNECT_MS,
    // The server's own limit comes first; this one is for a server that no longer answers.
    query_timeout: limits.timeoutMs + CONNECT_MS,
    types: { getTypeParser: parserOf },
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
  } catch (error) {
    throw sourceUnavailable(name, reasonOf(error), error)
  }
  return client
}

async function readByCursor(client: Client, { query, values, limits, timezone }: SqlRead): Promise<Table> {
  await client.query('BEGIN TRANSACTION READ ONLY')
  await client.query(
    "SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $1, true)",
    [String(limits.timeoutMs)],
  )
  await client.query("SELECT set_config('TimeZone', $1, true)", [timezone])
  // The extended protocol takes one statement only, whatever the text holds.
  const declare: QueryConfig & { queryMode: 'extended' } = {
    text: `DECLARE report NO SCROLL CURSOR FOR ${query}`,
    values: [...values],
    queryMode: 'extended',
  }
  await client.query(declare)
  const gatherer = createGatherer(limits)
  for (;;) {
    const batch = await client.query<unknown[]>({ text: `FETCH ${BATCH} FROM report`, rowMode: 'array' })
    const columns = batch.fields.map((field) => field.name)
    if (!batch.rows.every((row) => gatherer.add(row)) || batch.rows.length < BATCH)
      return gatherer.table(columns)
  }
}

function parserOf(oid: number): (text: string) => unknown {
  switch (oid) {
    case INT8:
    case NUMERIC:
      return exactNumberOrText
    case 16:
      return (text) => text === 't'
    case 21:
    case 23:
    case 26:
    case 700:
    case 701:
      return Number
    default:
      return (text) => text
  }
}

function failureOf(error: unknown, name: string, limits: ReadLimits): unknown {
  if (isAppError(error)) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (TIMEOUTS.has(code) || /query read timeout/i.test(reasonOf(error))) {
    return sourceTimeout(name, limits.timeoutMs)
  }
  // Five characters are an SQLSTATE; class 08 and 57 are about the connection and the server.
  if (/^[0-9A-Z]{5}$/.test(code) && !/^(08|57|53)/.test(code)) return sqlFailed(name, reasonOf(error))
  return sourceUnavailable(name, reasonOf(error), error)
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}
