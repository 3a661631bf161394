/** What every database keeps of a prepared statement: the same answers as the builder, whatever was asked before. */
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { chatKey } from '../../src/protocol/address.ts'
import { prepare } from '../../src/store/prepared.ts'
import { insertInbox, type NewInboxRow, waitingMessages } from '../../src/store/repositories/inbox.ts'
import { insertOutbox, nextMail } from '../../src/store/repositories/outbox.ts'
import { insertRun, openRun } from '../../src/store/repositories/runs.ts'
import type { Store } from '../../src/store/store.ts'

const row = (dedupe: string, sessionId: string): NewInboxRow => ({
  ...{ dedupe, sessionId, botId: 'ops', kind: 'message', state: 'waiting' },
  ...{ payload: `{"of":"${dedupe}"}`, receivedAt: 1 },
})

export function keepsPreparedStatements(opened: () => Store): void {
  it('builds a statement once, and gives each call the rows of its own values', async () => {
    const { db } = opened()
    let built = 0
    const find = prepare((on, p: { session: string; after: number }) => {
      built++
      return on
        .selectFrom('inbox')
        .select(['session_id', 'dedupe'])
        .where('session_id', '=', p.session)
        .where('id', '>', p.after)
        .orderBy('id')
    })
    const sessions = Array.from({ length: 40 }, (_, index) => `mixed${index}`)
    await insertInbox(
      db,
      sessions.flatMap((session) => [row(`${session}:1`, session), row(`${session}:2`, session)]),
    )
    const found = await Promise.all(sessions.map((session) => find.all(db, { session, after: 0 })))
    expect(found).toEqual(
      sessions.map((session) => [1, 2].map((n) => ({ session_id: session, dedupe: `${session}:${n}` }))),
    )
    expect(await find.all(db, { after: 1e9, session: 'mixed1' })).toEqual([])
    expect(built).toBe(1)
  })

  it('works in the transaction it is given, and is taken back with it', async () => {
    const { db, transaction } = opened()
    const rename = prepare((on, p: { from: string; to: string }) =>
      on.updateTable('people').set({ name: p.to }).where('name', '=', p.from),
    )
    const names = prepare((on) => on.selectFrom('people').select('name').orderBy('user'))
    await db
      .insertInto('people')
      .values(['a', 'b'].map((user) => ({ user, name: `old ${user}`, updated_at: 1 })))
      .execute()
    const refused = transaction(async (trx) => {
      expect(await rename.run(trx, { from: 'old a', to: 'new a' })).toBe(1)
      expect(await names.all(trx, {})).toEqual([{ name: 'new a' }, { name: 'old b' }])
      throw new Error('no')
    })
    await expect(refused).rejects.toThrow('no')
    expect(await names.all(db, {})).toEqual([{ name: 'old a' }, { name: 'old b' }])
    expect(await rename.run(db, { from: 'nobody', to: 'x' })).toBe(0)
  })

  it('means what the builder means: nothing, quotes, zero, joins of conditions and constants', async () => {
    const { db } = opened()
    const text = `it's "quoted" ? $1 \\ 中文`
    const lock = prepare((on, p: { name: string; owner: string; until: number }) =>
      on
        .insertInto('locks')
        .values({ name: p.name, owner: p.owner, until: p.until })
        .onConflict((oc) => oc.column('name').doUpdateSet({ until: p.until })),
    )
    await lock.run(db, { name: text, owner: text, until: 0 })
    await lock.run(db, { name: 'second', owner: text, until: 7 })
    await lock.run(db, { name: 'second', owner: 'not taken over', until: 8 })
    const held = prepare((on, p: { now: number }) =>
      on
        .selectFrom('locks')
        .selectAll()
        .where('owner', '=', text)
        .where((eb) => eb.or([eb('until', '=', p.now), eb('until', '>', p.now)]))
        .orderBy('name'),
    )
    const built = (now: number) =>
      db
        .selectFrom('locks')
        .selectAll()
        .where('owner', '=', text)
        .where('until', '>=', now)
        .orderBy('name')
        .execute()
    expect(await held.all(db, { now: 0 })).toEqual(await built(0))
    expect((await built(0)).map(({ until }) => until).toSorted()).toEqual([0, 8])
    expect(await held.first(db, { now: 9 })).toBeUndefined()
  })

  it('takes nothing for a value, and lets none be forgotten', async () => {
    const { db } = opened()
    const put = prepare((on, p: { user: string; name: string }) =>
      on.insertInto('people').values({ user: p.user, name: p.name, updated_at: 1 }),
    )
    const incomplete: Partial<Parameters<typeof put.run>[1]> = { user: 'u' }
    await expect(put.run(db, incomplete as Required<typeof incomplete>)).rejects.toThrow(/no value for name/)
    const peeking = prepare((on, p: { n: number }) =>
      on
        .selectFrom('locks')
        .selectAll()
        .where('until', '<', p.n + 1),
    )
    await expect(peeking.all(db, { n: 1 })).rejects.toThrow(/its value is not known here/)
  })

  it('sees a change of the tables: new columns are there, and no plan outlives its index', async () => {
    const { db } = opened()
    await sql`create table grown (id integer, word text)`.execute(db)
    await sql`create index grown_word on grown (word)`.execute(db)
    await sql`insert into grown values (1, 'a'), (2, 'a')`.execute(db)
    const find = prepare((on, p: { word: string }) =>
      on
        .selectFrom(sql<Record<string, unknown>>`grown`.as('grown'))
        .selectAll()
        .where(sql.ref('word'), '=', p.word)
        .orderBy(sql.ref('id')),
    )
    expect(await find.all(db, { word: 'a' })).toEqual([1, 2].map((id) => ({ id, word: 'a' })))
    await sql`alter table grown add column more integer default 5`.execute(db)
    await sql`drop index grown_word`.execute(db)
    expect(await find.all(db, { word: 'a' })).toEqual([1, 2].map((id) => ({ id, word: 'a', more: 5 })))
    await sql`drop table grown`.execute(db)
    await expect(find.all(db, { word: 'a' })).rejects.toThrow(/grown/)
  })

  it('runs the repositories’ own with the same answers every time', async () => {
    const { db } = opened()
    await insertInbox(db, [row('r1', 'repo'), row('r2', 'repo'), row('r3', 'other')])
    const taken = await Promise.all([waitingMessages(db, 'repo'), waitingMessages(db, 'other')])
    expect(taken.map((rows) => rows.map(({ dedupe }) => dedupe))).toEqual([['r1', 'r2'], ['r3']])
    const run = { sessionId: 'repo', requester: 'feishu:u', replyTo: undefined, model: 'm' }
    const begun = await insertRun(db, { ...run, id: 'run1' }, 5)
    expect(begun).toMatchObject({ state: 'running', reply_to: null, steps: 0, started_at: 5 })
    expect(await openRun(db, 'repo')).toEqual(begun)
    expect(await openRun(db, 'other')).toBeUndefined()
    const address = { botId: 'ops', chatId: 'c', chatType: 'group' as const }
    const mail = { address, ref: 'notice', priority: 'low' as const, deadlineMs: 10 }
    const payload = { message: { type: 'text' as const, text: 'hello' } }
    for (const key of ['k1', 'k2', 'k1']) await insertOutbox(db, { ...mail, key, payload }, 1)
    const first = await nextMail(db, chatKey(address))
    expect(first).toMatchObject({ key: 'k1', state: 'pending', owner: null })
    expect(await nextMail(db, chatKey(address), [first?.id ?? 0])).toMatchObject({ key: 'k2' })
  })
}
