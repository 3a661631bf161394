import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createInboxInsert,
  findInbox,
  insertInbox,
  type NewInboxRow,
} from '../../../src/store/repositories/inbox.ts'
import {
  acquireLease,
  createReopening,
  ensureSession,
  findSession,
  setSessionClosed,
} from '../../../src/store/repositories/sessions.ts'
import type { Db } from '../../../src/store/store.ts'
import { isEmbedded, openTestStore } from '../../support/store.ts'

let store: Awaited<ReturnType<typeof openTestStore>>

beforeEach(async () => {
  store = await openTestStore()
})
afterEach(() => store.close())

const row = (dedupe: string): NewInboxRow => ({
  ...{ dedupe, sessionId: 's1', botId: 'ops', kind: 'message', state: 'waiting' },
  ...{ payload: `{"of":"${dedupe}"}`, receivedAt: 1 },
})

/** How a transaction commits: 1 is NORMAL, 2 is FULL: it is on disk when it returns. */
async function synchronousIn(trx: Db): Promise<number | undefined> {
  return (await sql<{ synchronous: number }>`PRAGMA synchronous`.execute(trx)).rows[0]?.synchronous
}

/** The same, left by the group that a write by itself has opened. */
async function synchronousAfterWrite(db: Db): Promise<number | undefined> {
  await insertInbox(db, [row(`w${Math.random()}`)])
  return synchronousIn(db)
}

describe.runIf(isEmbedded)('a commit that is flushed with the next one', () => {
  it('is there for every other process at once, so a crash of this one loses nothing', async () => {
    await store.transactionSoon((trx) => insertInbox(trx, [row('a')]))
    using other = new DatabaseSync(join(store.dataDir, 'yizhan.db'), { readOnly: true })
    expect(other.prepare('SELECT dedupe FROM inbox').all()).toEqual([{ dedupe: 'a' }])
  })

  it('leaves all other commits as they were: each waits for the disk', async () => {
    const soon = await store.transactionSoon(synchronousIn)
    expect([soon, await store.transaction(synchronousIn)]).toEqual([1, 2])
  })

  it('is taken back as a whole when its work fails, and the next commits wait for the disk', async () => {
    const failing = store.transactionSoon(async (trx) => {
      await insertInbox(trx, [row('a')])
      throw new Error('half-way')
    })
    await expect(failing).rejects.toThrow('half-way')
    const next = await store.transaction(synchronousIn)
    expect([await findInbox(store.db, 'a'), next]).toEqual([undefined, 2])
  })
})

describe.runIf(isEmbedded)('a statement that is flushed with the next one', () => {
  it('is there for every other process at once, and leaves all other commits as they were', async () => {
    const { id } = await ensureSession(store.db, { botId: 'ops', chatId: 'oc_1', chatType: 'group' }, 1)
    await store.statementSoon((db) => acquireLease(db, id, 'me', 1, 5))
    using other = new DatabaseSync(join(store.dataDir, 'yizhan.db'), { readOnly: true })
    const seen = other.prepare('SELECT lease_owner, fence FROM sessions').all()
    expect(seen).toEqual([{ lease_owner: 'me', fence: 1 }])
    expect(await store.transaction(synchronousIn)).toBe(2)
  })

  it('is flushed later than others, however it was written', async () => {
    expect(await store.statementSoon(synchronousAfterWrite)).toBe(1)
    expect(await synchronousAfterWrite(store.db)).toBe(2)
  })
})

describe('statements over many rows', () => {
  it('insert any number and tell which were new, repeated ones within a group included', async () => {
    const insert = createInboxInsert()
    await insert(store.db, [row('e3'), row('e7')])
    const many = Array.from({ length: 37 }, (_, i) => row(`e${i}`))
    const ids = await insert(store.db, [...many, row('e0')])
    expect([...ids.keys()].sort()).toEqual(
      many
        .map((one) => one.dedupe)
        .filter((one) => one !== 'e3' && one !== 'e7')
        .sort(),
    )
    expect(await findInbox(store.db, 'e36')).toMatchObject({ id: ids.get('e36'), payload: '{"of":"e36"}' })
  })

  it('open closed sessions among many, and only those they are told', async () => {
    const at = (chatId: string) => ({ botId: 'ops', chatId, chatType: 'group' as const })
    const ids: string[] = []
    for (let i = 0; i < 5; i++) ids.push((await ensureSession(store.db, at(`oc_${i}`), 1)).id)
    for (const id of ids.slice(1)) await setSessionClosed(store.db, id, 'bot_removed')
    await createReopening()(store.db, ids.slice(0, 3))
    const reasons = await Promise.all(ids.map(async (id) => (await findSession(store.db, id))?.closed_reason))
    expect(reasons).toEqual([null, null, null, 'bot_removed', 'bot_removed'])
  })
})
