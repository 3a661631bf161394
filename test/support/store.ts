import { createHash } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type Store } from '../../src/store/store.ts'
import { createCollectingLogger } from './logger.ts'
import { countQueries } from './settle.ts'

/** Whether tests run on the embedded database; what only a file can do or suffer is tested only there. */
export const isEmbedded = process.env['TEST_DATABASE'] === undefined

/**
 * A store in a new temporary folder; `dataDir` lets a test open it again after closing. With
 * `TEST_DATABASE` (a `postgres://` address whose user may make databases), every folder has a database
 * of its own there: the same tests, the other store.
 */
export async function openTestStore(
  dataDir = mkdtempSync(join(tmpdir(), 'yizhan-')),
): Promise<Store & { dataDir: string }> {
  const database = await testDatabase(dataDir)
  return { ...(await openStore({ dataDir, database, logger: createCollectingLogger() })), dataDir }
}

/** Address of the folder's own PostgreSQL database, made if it is new; undefined where the store is embedded. */
export async function testDatabase(dataDir: string): Promise<string | undefined> {
  const server = process.env['TEST_DATABASE']
  if (server === undefined) return undefined
  await countQueries()
  const name = `t${createHash('sha256').update(dataDir).digest('hex').slice(0, 20)}`
  await makeDatabase(server, name)
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

async function makeDatabase(server: string, name: string): Promise<void> {
  const { default: pg } = await import('pg')
  const client = new pg.Client(server)
  await client.connect()
  const known = await client.query('select 1 from pg_database where datname = $1', [name])
  if (known.rowCount === 0) await client.query(`create database ${name}`)
  await client.end()
}
