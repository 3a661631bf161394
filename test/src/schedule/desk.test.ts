import { describe, expect, it } from 'vitest'
import { settle } from '../../support/settle.ts'
import { code, created, NINE, STRANGER } from './confirmed.ts'
import { ADMIN, asker, CREATOR, daily, GROUP, openRoom } from './fixture.ts'

describe('who may do what', () => {
  it('the creator and administrators change a schedule; the chat sees it; others do not know it', async () => {
    const { room, id } = await created()
    const elsewhere = { ...GROUP, chatId: 'oc_else' }
    expect(await code(room.desk.act('pause', id, asker(STRANGER), 'm1'))).toBe('schedule.not_yours')
    expect(await code(room.desk.act('pause', id, asker(STRANGER, elsewhere), 'm1'))).toBe(
      'schedule.not_found',
    )
    expect(await code(room.desk.history(id, asker(STRANGER)))).toBe('done')
    expect(await room.desk.list(asker(STRANGER, elsewhere))).toEqual([])
    expect(await code(room.desk.act('pause', id, asker(ADMIN, elsewhere), 'm1'))).toBe('done')
    expect(await code(room.desk.act('resume', id, asker(CREATOR), 'm2'))).toBe('done')
  })

  it('a schedule of the file is paused here and changed there', async () => {
    const room = await openRoom({ start: NINE })
    await room.load([daily()])
    expect(await code(room.desk.edit('daily', { cron: '0 8 * * *' }, asker(ADMIN)))).toBe('schedule.in_file')
    expect(await code(room.desk.act('delete', 'daily', asker(ADMIN), 'm'))).toBe('schedule.in_file')
    expect(await code(room.desk.act('pause', 'daily', asker(ADMIN), 'm'))).toBe('done')
    await room.load([daily()])
    expect((await room.desk.list(asker(ADMIN)))[0]?.state).toBe('paused')
    await room.load([daily({ cron: '0 8 * * *' })])
    expect((await room.desk.list(asker(ADMIN)))[0]?.state).toBe('active')
    await room.load([])
    expect(await room.desk.list(asker(ADMIN))).toEqual([])
  })

  it('T7: a run has the tools of its creation and no others, and never makes schedules', async () => {
    const { room, id } = await created()
    await room.clock.advance(60_000)
    const [slot] = await room.slots(id)
    const plan = await room.runs.planOf(slot?.session_id ?? '', slot?.run_id ?? '')
    expect(plan?.mayUse('shell')).toBe(true)
    expect(plan?.mayUse('browser_open')).toBe(false)
    expect(plan?.mayUse('cron_manage')).toBe(false)
    const inbox = await room.store.db.selectFrom('inbox').select('payload').executeTakeFirstOrThrow()
    expect(JSON.parse(inbox.payload).sender.user).toBe(CREATOR)
  })

  it.each([
    ['may not talk any more', { access: { admins: [ADMIN], talk: [ADMIN] } }, 'schedule.creator_gone'],
    [
      'may not operate any more',
      { access: { admins: [ADMIN], operate: [ADMIN] } },
      'schedule.creator_rights',
    ],
  ])(
    'T7: the creator %s: nothing runs, the schedule is paused and its people are told',
    async (_name, config, reason) => {
      const { room: before, id } = await created()
      await before.scheduler.stop()
      const room = await openRoom({ clock: before.clock, store: before.store, seed: 'next', config })
      await room.scheduler.start()
      await room.clock.advance(60_000)
      await settle()
      expect(room.woken).toEqual([])
      const row = await room.store.db.selectFrom('schedules').selectAll().executeTakeFirstOrThrow()
      expect(row).toMatchObject({ state: 'paused', reason, next_at: null })
      expect((await room.slots(id))[0]).toMatchObject({ state: 'failed' })
      expect(JSON.stringify(room.sent)).toContain('已暂停')
    },
  )
})

describe('run, preview, edit', () => {
  it('run: at once, to the destination, once per message; not while one goes on', async () => {
    const { room, id } = await created()
    await room.desk.act('run', id, asker(), 'om_1')
    await room.desk.act('run', id, asker(), 'om_1')
    expect((await room.slots(id)).map(({ kind, state }) => `${kind} ${state}`)).toEqual(['manual running'])
    expect(await code(room.desk.act('run', id, asker(), 'om_2'))).toBe('schedule.busy')
    await room.playAll()
    expect((await room.slots(id))[0]?.state).toBe('delivered')
  })

  it('preview: the result goes to whoever looks, in a session of its own, beside the schedule', async () => {
    const { room, id } = await created()
    const direct = { botId: 'ops', chatId: 'oc_direct', chatType: 'direct' as const }
    const answer = await room.desk.act('preview', id, asker(CREATOR, direct), 'om_1')
    expect(answer).toContain('2026-12-01 09:00 · 2026-12-02 09:00')
    const before = room.sent.length
    await room.playAll()
    expect(room.sent.slice(before).map(({ chatId }) => chatId)).toEqual(['oc_direct'])
    expect(await room.slots(id)).toEqual([])
    await room.clock.advance(60_000)
    expect((await room.slots(id))[0]?.state).toBe('running')
  })

  it('edit: the next time follows at once, and what is wrong changes nothing', async () => {
    const { room, id } = await created()
    await room.desk.edit(id, { cron: '30 8 * * *', prompt: '库存' }, asker())
    expect(await code(room.desk.edit(id, { cron: '30 8 * *' }, asker()))).toBe('schedule.cron_fields')
    const row = await room.store.db.selectFrom('schedules').selectAll().executeTakeFirstOrThrow()
    expect(row.next_slot).toBe('2026-12-02T08:30 Asia/Shanghai')
    expect(JSON.parse(row.spec).prompt).toBe('库存')
  })
})
