import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createAudit } from '../../../../src/observability/audit.ts'
import { insertInbox, waitingMessages } from '../../../../src/store/repositories/inbox.ts'
import { createOwnerLock } from '../../../../src/store/repositories/locks.ts'
import { acquireLease, ensureSession, renewLease } from '../../../../src/store/repositories/sessions.ts'
import { openStore, type Store } from '../../../../src/store/store.ts'
import { createManualClock } from '../../../support/clock.ts'
import { createCollectingLogger } from '../../../support/logger.ts'
import { startPostgres, type TestPostgres } from '../../../support/postgres.ts'
import { keepsPreparedStatements } from '../../../support/prepared-contract.ts'
import { codeOf, row } from '../inbox-row.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'yizhan-postgres-store-'))
const open = (database: string): Promise<Store> =>
  openStore({ dataDir, database, logger: createCollectingLogger() })

let postgres: TestPostgres
let store: Store
/** The same database, as another process has it. */
let other: Store
beforeAll(async () => {
  postgres = await startPostgres()
  store = await open(postgres.url)
  other = await open(postgres.url)
})
afterAll(async () => {
  await store.close()
  await other.close()
  await postgres.stop()
})

describe('the store over PostgreSQL', () => {
  it('W5: an event is new once, whichever process gets it', async () => {
    const both = await Promise.all([insertInbox(store.db, [row('m1')]), insertInbox(other.db, [row('m1')])])
    expect(both.map((ids) => ids.size).toSorted()).toEqual([0, 1])
  })

  it('gives numbers as numbers, and every character of a text but NUL', async () => {
    await insertInbox(store.db, [row('m2', '中文 🙂 \u0000 end')])
    const [first, second] = await waitingMessages(other.db, 's1')
    expect(first).toMatchObject({ id: expect.any(Number), received_at: 1_700_000_000_000 })
    expect(second?.payload).toBe('中文 🙂 \u{FFFD} end')
  })

  it('R11: a lease is held by one process, and its fence rises', async () => {
    const session = await ensureSession(store.db, { botId: 'ops', chatId: 'oc_1', chatType: 'group' }, 1)
    const taken = await Promise.all([
      acquireLease(store.db, session.id, 'a', 1_000, 500),
      acquireLease(other.db, session.id, 'b', 1_000, 500),
    ])
    expect(taken.filter(Boolean)).toHaveLength(1)
    expect((await acquireLease(other.db, session.id, 'b', 1_500, 500))?.fence).toBe(2)
    expect(await renewLease(store.db, { id: session.id, fence: 1 }, 1_600, 500)).toBeUndefined()
  })

  it('R37: a lock is held by one process until it is past', async () => {
    const clock = createManualClock()
    const [a, b] = [createOwnerLock(store.db, 'a', clock), createOwnerLock(other.db, 'b', clock)]
    expect([await a.acquire('socket', 1_000), await b.acquire('socket', 1_000)]).toEqual([true, false])
    clock.jump(1_000)
    expect(await b.acquire('socket', 1_000)).toBe(true)
  })

  it('transactions of two processes follow each other: the audit chain has no fork', async () => {
    const clock = createManualClock()
    const entry = { actor: 'system', action: 'test.done', subject: 's', detail: {} }
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const place = index % 2 === 0 ? store : other
        const audit = createAudit({ db: place.db, clock })
        return place.transaction((trx) => audit.append(trx, entry))
      }),
    )
    expect(await createAudit({ db: other.db, clock }).verify()).toMatchObject({ ok: true, rows: 40 })
  })

  it('a transaction that fails leaves nothing, and nobody waiting', async () => {
    const failed = store.transaction(async (trx) => {
      await insertInbox(trx, [row('lost')])
      throw new Error('changed my mind')
    })
    await expect(failed).rejects.toThrow('changed my mind')
    expect((await insertInbox(other.db, [row('lost')])).size).toBe(1)
  })
  it('a writer whose wait for its turn is broken off leaves its connection fit for the next one', async () => {
    const [held, inside] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const first = store.transaction(() => {
      inside.resolve()
      return held.promise
    })
    // Of two that begin at once either may be the one that waits.
    await inside.promise
    const waits = codeOf(other.transaction((trx) => insertInbox(trx, [row('waited')])))
    await vi.waitFor(async () => expect(await cancelWaiting()).toBe(1), { timeout: 10_000 })
    expect(await waits).toBe('store.locked')
    held.resolve()
    await first
    for (let count = 0; count < 12; count++) expect(await codeOf(other.probe())).toBe('no error')
    expect((await other.transaction((trx) => insertInbox(trx, [row('waited')]))).size).toBe(1)
  })

  it('R13: a connection that is lost in the middle of a transaction takes nothing with it', async () => {
    const cut = store.transaction(async (trx) => {
      await insertInbox(trx, [row('cut')])
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
      await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(other.db)
      await insertInbox(trx, [row('cut too')])
    })
    expect(await codeOf(cut)).toBe('store.unreachable')
    const again = await store.transaction((trx) => insertInbox(trx, [row('cut'), row('cut too')]))
    expect(again.size).toBe(2)
  })
})

/** Breaks off whoever waits for an advisory lock. @returns how many that were */
async function cancelWaiting(): Promise<number> {
  const { rows } = await sql`select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'advisory'
    and datname = current_database()`.execute(store.db)
  return rows.length
}

describe('what an operator is told', () => {
  const login = (change: Partial<Pick<URL, 'pathname' | 'username' | 'port'>>): string =>
    Object.assign(new URL(postgres.url), change).href

  it.each([
    ['store.no_database', { pathname: '/nowhere' }],
    ['store.login', { username: 'nobody' }],
    ['store.unreachable', { port: '1' }],
  ])('%s', async (code, change) => {
    expect(await codeOf(open(login(change)))).toBe(code)
  })

  it('store.encoding: a database that cannot hold Chinese is refused', async () => {
    await sql.raw(`create database latin encoding 'LATIN1' template template0 locale 'C'`).execute(store.db)
    expect(await codeOf(open(login({ pathname: '/latin' })))).toBe('store.encoding')
  })

  it('R13: a server that goes away and comes back is waited for', async () => {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()`.execute(
      store.db,
    )
    const codes = new Set<string>()
    for (let count = 0; count < 5; count++) codes.add(await codeOf(other.probe()))
    expect([...codes].filter((code) => code !== 'no error' && code !== 'store.unreachable')).toEqual([])
    expect(await codeOf(other.probe())).toBe('no error')
  })
})

describe('a prepared statement over PostgreSQL', () => {
  keepsPreparedStatements(() => store)
})
