import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { insertInbox, lastHeard } from '../../../src/store/repositories/inbox.ts'
import { openStore, type Store } from '../../../src/store/store.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { isEmbedded, openTestStore } from '../../support/store.ts'
import { codeOf, row } from './inbox-row.ts'

const BALLAST_BYTES = 4 * 1024 * 1024

async function pagesOf({ db }: Store): Promise<number> {
  const { rows } = await sql<{ page_count: number }>`PRAGMA page_count`.execute(db)
  return rows[0]?.page_count ?? 0
}

const limitPages = async ({ db }: Store, pages: number): Promise<void> => {
  await sql.raw(`PRAGMA max_page_count = ${pages}`).execute(db)
}

describe('openStore', () => {
  it('K4: keeps folder and files for the service’s own user', async () => {
    const dataDir = join(mkdtempSync(join(tmpdir(), 'yizhan-')), 'data')
    const store = await openStore({ dataDir, logger: createCollectingLogger() })
    await insertInbox(store.db, [row('a')])
    const modes = Object.fromEntries(
      readdirSync(dataDir).map((name) => [name, statSync(join(dataDir, name)).mode & 0o077]),
    )
    await store.close()
    expect(statSync(dataDir).mode & 0o077).toBe(0)
    expect(modes).toEqual({ ballast: 0, 'yizhan.db': 0, 'yizhan.db-shm': 0, 'yizhan.db-wal': 0 })
  })

  it('finds what was written before it was closed', async () => {
    const first = await openTestStore()
    await insertInbox(first.db, [row('a')])
    await first.close()
    const second = await openTestStore(first.dataDir)
    expect([...(await insertInbox(second.db, [row('a'), row('b')])).keys()]).toEqual(['b'])
    await second.close()
  })

  it('a transaction that fails leaves nothing', async () => {
    const store = await openTestStore()
    const failed = store.transaction(async (trx) => {
      await insertInbox(trx, [row('a')])
      throw new Error('changed my mind')
    })
    await expect(failed).rejects.toThrow('changed my mind')
    expect(await store.db.selectFrom('inbox').selectAll().execute()).toEqual([])
    await store.close()
  })

  it('stores flags as numbers, absent values as null, and refuses what is neither', async () => {
    const store = await openTestStore()
    const flag = sql<number>`cast(${true} as integer)`
    const { rows } = await sql<{ t: number; n: null }>`select ${flag} as t, ${undefined} as n`.execute(
      store.db,
    )
    expect(rows).toEqual([{ t: 1, n: null }])
    await expect(sql`select ${{ a: 1 }} as o`.execute(store.db)).rejects.toThrow('cannot be stored')
    await store.close()
  })
})

describe.runIf(isEmbedded)('R29: upgrades', () => {
  it('an older version refuses a newer database, and changes nothing in it', async () => {
    const store = await openTestStore()
    await sql`insert into kysely_migration (name, timestamp) values ('9999_future', 'x')`.execute(store.db)
    await store.close()
    expect(await codeOf(openTestStore(store.dataDir))).toBe('store.newer_schema')
    const file = new DatabaseSync(join(store.dataDir, 'yizhan.db'))
    expect(file.prepare("select name from kysely_migration where name = '9999_future'").all()).toHaveLength(1)
    file.close()
  })

  it('migrates once: a first start says so in one line, a second one finds nothing to do', async () => {
    const first = createCollectingLogger()
    const dataDir = mkdtempSync(join(tmpdir(), 'yizhan-'))
    const store = await openStore({ dataDir, logger: first })
    expect(first.lines.map(({ message }) => message)).toEqual(['database made'])
    await store.close()
    const logger = createCollectingLogger()
    const again = await openStore({ dataDir, logger })
    expect(logger.lines).toEqual([])
    await again.close()
  })

  it('only the service upgrades: a command that looks takes an older database as it is, one that writes refuses', async () => {
    const { dataDir, close } = await openTestStore()
    await close()
    const file = new DatabaseSync(join(dataDir, 'yizhan.db'))
    file.exec("delete from kysely_migration where name = '0013-message-times'; drop index inbox_recalls")
    const applied = (): number => file.prepare('select name from kysely_migration').all().length
    const before = applied()

    const reading = await openStore({ dataDir, logger: createCollectingLogger(), older: 'read' })
    expect(await lastHeard(reading.db, 'ops')).toBeUndefined()
    await reading.close()
    const writing = openStore({ dataDir, logger: createCollectingLogger(), older: 'refuse' })
    expect(await codeOf(writing)).toBe('store.older_schema')
    expect(applied()).toBe(before)

    const service = await openStore({ dataDir, logger: createCollectingLogger() })
    await service.close()
    expect(applied()).toBe(before + 1)
    file.close()
  })

  it('a migration that fails changes nothing and keeps the file', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'yizhan-'))
    const file = new DatabaseSync(join(dataDir, 'yizhan.db'))
    file.exec('create table outbox (mine text); insert into outbox values (1)')
    file.close()
    expect(await codeOf(openTestStore(dataDir))).toBe('store.migration_failed')
    const after = new DatabaseSync(join(dataDir, 'yizhan.db'))
    expect(after.prepare('select mine from outbox').all()).toEqual([{ mine: '1' }])
    expect(after.prepare("select name from sqlite_master where name = 'inbox'").all()).toEqual([])
    after.close()
  })
})

describe.runIf(isEmbedded)('R13: a full disk', () => {
  it('is said as such, gives the reserve up, and is over by itself when there is room', async () => {
    const store = await openTestStore()
    const ballast = join(store.dataDir, 'ballast')
    expect(statSync(ballast).size).toBe(BALLAST_BYTES)
    await limitPages(store, await pagesOf(store))
    const write = (): Promise<unknown> =>
      store.transaction((trx) => insertInbox(trx, [row('large', 'x'.repeat(500_000))]))
    expect(await codeOf(write())).toBe('store.full')
    expect(existsSync(ballast)).toBe(false)

    await limitPages(store, 1_000_000)
    await write()
    await store.probe()
    expect(statSync(ballast).size).toBe(BALLAST_BYTES)
    await store.close()
  })

  it('what can still be read is read', async () => {
    const store = await openTestStore()
    await insertInbox(store.db, [row('a')])
    await limitPages(store, await pagesOf(store))
    expect(await store.db.selectFrom('inbox').select('dedupe').execute()).toEqual([{ dedupe: 'a' }])
    await store.close()
  })

  it('other errors leave the reserve alone', async () => {
    const store = await openTestStore()
    await expect(store.transaction(() => Promise.reject(new Error('mine')))).rejects.toThrow('mine')
    expect(existsSync(join(store.dataDir, 'ballast'))).toBe(true)
    await store.close()
  })
})

describe.runIf(isEmbedded)('R14: a damaged or held database', () => {
  it('locked by another program: an error that passes, and all is well when it lets go', async () => {
    const store = await openTestStore()
    const holder = new DatabaseSync(join(store.dataDir, 'yizhan.db'))
    holder.exec('BEGIN EXCLUSIVE')
    expect(await codeOf(store.probe())).toBe('store.locked')
    holder.exec('ROLLBACK')
    holder.close()
    await store.probe()
    await store.close()
  })

  it('damaged bytes: the start is refused, and the file is kept', async () => {
    const { dataDir, ...store } = await openTestStore()
    await insertInbox(
      store.db,
      Array.from({ length: 200 }, (_, index) => row(`r${index}`, 'x'.repeat(500))),
    )
    await store.close()
    const file = join(dataDir, 'yizhan.db')
    const size = statSync(file).size
    const handle = openSync(file, 'r+')
    writeSync(handle, Buffer.alloc(size - 8_192, 0xa5), 0, size - 8_192, 8_192)
    expect(await codeOf(openTestStore(dataDir))).toBe('store.corrupt')
    expect(statSync(file).size).toBe(size)
  })

  it('no database at all: the start is refused, and the file is kept', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'yizhan-'))
    writeFileSync(join(dataDir, 'yizhan.db'), 'this is a letter to my mother, '.repeat(200))
    expect(await codeOf(openTestStore(dataDir))).toBe('store.corrupt')
  })

  it('a log without its database: never an empty one beside it', async () => {
    const { dataDir, ...store } = await openTestStore()
    await insertInbox(store.db, [row('a')])
    copyFileSync(join(dataDir, 'yizhan.db-wal'), join(dataDir, 'kept'))
    await store.close()
    copyFileSync(join(dataDir, 'kept'), join(dataDir, 'yizhan.db-wal'))
    rmSync(join(dataDir, 'yizhan.db'))
    expect(await codeOf(openTestStore(dataDir))).toBe('store.missing')
    expect(existsSync(join(dataDir, 'yizhan.db'))).toBe(false)
  })

  it('a folder in the database’s place: the start is refused', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'yizhan-'))
    const store = await openTestStore(dataDir)
    await store.close()
    rmSync(join(dataDir, 'yizhan.db'))
    mkdirSync(join(dataDir, 'yizhan.db'))
    expect(await codeOf(openTestStore(dataDir))).toBe('store.unwritable')
  })

  it('R42: a restored backup opens, and knows the events that it holds', async () => {
    const store = await openTestStore()
    await insertInbox(store.db, [row('before')])
    const restored = mkdtempSync(join(tmpdir(), 'yizhan-'))
    await sql.raw(`VACUUM INTO '${join(restored, 'yizhan.db')}'`).execute(store.db)
    await insertInbox(store.db, [row('after')])
    await store.close()
    const back = await openTestStore(restored)
    expect([...(await insertInbox(back.db, [row('before'), row('after')])).keys()]).toEqual(['after'])
    await back.close()
  })
})
