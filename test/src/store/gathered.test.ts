import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { gather } from '../../../src/store/gathered.ts'
import { insertInbox, waitingMessages } from '../../../src/store/repositories/inbox.ts'
import { openTestStore } from '../../support/store.ts'

let store: Awaited<ReturnType<typeof openTestStore>>
/** How many keys each statement had that was built. */
let built: number[]

beforeEach(async () => {
  built = []
  store = await openTestStore()
})
afterEach(() => store.close())

const names = gather(
  (db, users) => {
    built.push(users.length)
    return db
      .selectFrom('people')
      .selectAll()
      .where('user', 'in', [...users])
      .orderBy('name')
  },
  (row) => row.user,
)
const put = (...users: string[]) =>
  store.db
    .insertInto('people')
    .values(users.map((user) => ({ user, name: `name of ${user}`, updated_at: 1 })))
    .execute()
const nameOf = async (user: string, db: typeof store.db = store.db) =>
  (await names(db, user)).map(({ name }) => name)

describe('reads by a key that are wanted in one moment', () => {
  it('are one statement, and each gets the rows of its own key', async () => {
    await put('a', 'b', 'c')
    const found = await Promise.all(['c', 'nobody', 'a', 'a', 'b'].map((user) => nameOf(user)))
    expect(found).toEqual([['name of c'], [], ['name of a'], ['name of a'], ['name of b']])
    expect(built).toEqual([4])
    expect(await nameOf('b')).toEqual(['name of b'])
    expect(built).toEqual([4, 1])
  })

  it('are any number', async () => {
    const users = Array.from({ length: 600 }, (_, index) => `user${index}`)
    await put(...users)
    const found = await Promise.all(users.map((user) => nameOf(user)))
    expect(found).toEqual(users.map((user) => [`name of ${user}`]))
    expect(new Set(built)).toEqual(new Set([256, 128]))
  })

  it('share no answer that one of them could change', async () => {
    await put('a')
    const [one, other] = await Promise.all([names(store.db, 'a'), names(store.db, 'a')])
    one.length = 0
    expect(other).toHaveLength(1)
  })

  it('see what was written before they were wanted, and in a transaction what it wrote', async () => {
    await put('a')
    const inside = await store.transaction(async (trx) => {
      await trx.updateTable('people').set({ name: 'new' }).where('user', '=', 'a').execute()
      return (await names(trx, 'a')).map(({ name }) => name)
    })
    expect([inside, await nameOf('a')]).toEqual([['new'], ['new']])
  })

  it('fail together, each told so, and the next ones do not', async () => {
    await store.db.schema.alterTable('people').renameTo('persons').execute()
    const failed = await Promise.allSettled([nameOf('a'), nameOf('b')])
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await store.db.schema.alterTable('persons').renameTo('people').execute()
    await put('a')
    expect(await nameOf('a')).toEqual(['name of a'])
  })

  it('of two databases stay apart', async () => {
    const second = await openTestStore()
    await put('a')
    expect(await Promise.all([nameOf('a'), nameOf('a', second.db)])).toEqual([['name of a'], []])
    await second.close()
  })
})

describe('messages that wait', () => {
  it('are the oldest first, and no command, no taken one and no other session’s', async () => {
    const row = (dedupe: string, sessionId: string, kind: 'message' | 'command' = 'message') => ({
      ...{ dedupe, sessionId, kind, botId: 'ops', payload: '{}', receivedAt: 1 },
    })
    const waiting = { state: 'waiting' as const }
    await insertInbox(store.db, [
      { ...row('1', 's'), ...waiting },
      { ...row('2', 'other'), ...waiting },
      { ...row('3', 's', 'command'), ...waiting },
      { ...row('4', 's'), state: 'dropped' },
      { ...row('5', 's'), ...waiting },
    ])
    const found = await Promise.all(['s', 'other', 'none'].map((id) => waitingMessages(store.db, id)))
    expect(found.map((rows) => rows.map(({ dedupe }) => dedupe))).toEqual([['1', '5'], ['2'], []])
  })
})
