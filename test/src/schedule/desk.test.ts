import { describe, expect, it } from 'vitest'
import { AppError, isAppError } from '../../../src/protocol/errors.ts'
import type { ActionEvent } from '../../../src/protocol/inbound.ts'
import type { Reports } from '../../../src/protocol/report.ts'
import { releaseAllLeases } from '../../../src/store/repositories/sessions.ts'
import {
  ADMIN,
  asker,
  CREATOR,
  daily,
  GROUP,
  idle,
  openRoom,
  type Room,
  type RoomOptions,
} from './fixture.ts'

const STRANGER = 'feishu:ou_wang'
const FIELDS = { cron: '0 9 * * *', prompt: '昨天的销售额' }
const NINE = Date.parse('2026-12-01T08:59:00+08:00')

const code = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (isAppError(error) ? error.code : String(error)),
  )

/** The newest card that was sent, and a click on one of its buttons. */
async function click(room: Room, button: 0 | 1, user: string, more: Partial<ActionEvent> = {}) {
  await idle()
  const card = room.sent.findLast(({ message }) => message.type === 'card')?.message
  if (card?.type !== 'card') throw new Error('no card was sent')
  return room.proposals.handleAction({
    type: 'action',
    address: GROUP,
    eventId: 'e',
    operator: { user: user as typeof ADMIN, name: '王芳', isBot: false, isExternal: false },
    value: card.card.buttons[button]?.value ?? {},
    form: {},
    sentAt: 0,
    ...more,
  })
}

async function created(options: RoomOptions = {}): Promise<{ room: Room; id: string }> {
  const room = await openRoom({ start: NINE, ...options })
  await room.desk.propose({ action: 'create', fields: FIELDS }, asker(), 'call-1')
  await click(room, 0, CREATOR)
  const [row] = await room.store.db.selectFrom('schedules').selectAll().execute()
  await room.scheduler.start()
  return { room, id: row?.id ?? '' }
}

describe('a proposal', () => {
  it('saves nothing until it is confirmed; the card shows times, destination, prompt, rules and creator', async () => {
    const room = await openRoom({ start: NINE })
    await room.desk.propose({ action: 'create', fields: FIELDS }, asker(), 'call-1')
    await idle()
    expect(await room.store.db.selectFrom('schedules').selectAll().execute()).toEqual([])
    const card = JSON.stringify(room.sent[0]?.message)
    for (const words of [
      '2026-12-01 09:00',
      '2026-12-05 09:00',
      '本会话',
      '昨天的销售额',
      '李四',
      '错过后补一次',
    ])
      expect(card).toContain(words)
  })

  it('a repeated call of the tool sends one card, a second click changes nothing', async () => {
    const room = await openRoom({ start: NINE })
    for (let i = 0; i < 2; i++)
      await room.desk.propose({ action: 'create', fields: FIELDS }, asker(), 'call-1')
    await idle()
    expect(room.sent).toHaveLength(1)
    const first = await click(room, 0, CREATOR)
    const second = await click(room, 1, ADMIN)
    expect(first?.toast?.tone).toBe('success')
    expect(second?.toast?.text).toContain('已经处理过了')
    expect(second?.card?.buttons).toEqual([])
    const rows = await room.store.db.selectFrom('schedules').select('state').execute()
    expect(rows).toEqual([{ state: 'active' }])
  })

  it('neither strangers nor outsiders nor bots confirm, and not from another chat or with a made-up nonce', async () => {
    const room = await openRoom({ start: NINE })
    await room.desk.propose({ action: 'create', fields: FIELDS }, asker(), 'call-1')
    const base = { user: CREATOR, isBot: false, isExternal: false }
    const tries = [
      await click(room, 0, STRANGER),
      await click(room, 0, CREATOR, { operator: { ...base, isExternal: true } }),
      await click(room, 0, CREATOR, { operator: { ...base, isBot: true } }),
      await click(room, 0, CREATOR, { address: { ...GROUP, chatId: 'oc_other' } }),
      await click(room, 0, CREATOR, {
        value: { k: 'schedule', p: 'a'.repeat(26), d: 'confirm', n: 'b'.repeat(26) },
      }),
    ]
    expect(tries.map((one) => one?.toast?.tone)).toEqual(['error', 'error', 'error', 'error', 'error'])
    expect(await room.store.db.selectFrom('schedules').selectAll().execute()).toEqual([])
    expect(await click(room, 0, CREATOR, { value: { a: 'x' } })).toBeUndefined()
  })

  it('cancelled or expired, it saves nothing', async () => {
    const room = await openRoom({ start: NINE })
    await room.desk.propose({ action: 'create', fields: FIELDS }, asker(), 'call-1')
    expect((await click(room, 1, CREATOR))?.toast?.text).toContain('已取消')
    await room.desk.propose({ action: 'create', fields: FIELDS }, asker(), 'call-2')
    await idle()
    room.clock.jump(25 * 3_600_000)
    expect((await click(room, 0, CREATOR))?.toast?.text).toContain('已过期')
    expect(await room.store.db.selectFrom('schedules').selectAll().execute()).toEqual([])
  })
})

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
      await idle()
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
    expect(await code(room.desk.edit(id, { cron: '30 8 * *' }, asker()))).toBe('schedule.cron')
    const row = await room.store.db.selectFrom('schedules').selectAll().executeTakeFirstOrThrow()
    expect(row.next_slot).toBe('2026-12-02T08:30 Asia/Shanghai')
    expect(JSON.parse(row.spec).prompt).toBe('库存')
  })
})

describe('a report', () => {
  const reports = (render: Reports['render']): Reports => ({
    names: () => [{ name: 'sales', about: 'sales', params: [] }],
    validate: (_name, params) =>
      'column' in params
        ? new AppError('report.column', 'there is no column "x"', { hint: 'Known: amount.' })
        : undefined,
    render,
  })
  const rendered = {
    markdown: '昨天 1 234 元',
    images: [{ name: 'chart.png', bytes: new Uint8Array(10) }],
    files: [{ name: 'sales.xlsx', path: '/tmp/sales.xlsx' }],
    summary: '',
    sizeBytes: 0,
  }

  it('goes out without a model: text, picture, file, in this order; the size is what was confirmed', async () => {
    const room = await openRoom({ start: NINE, reports: reports(async () => rendered) })
    await room.load([daily({ prompt: undefined, report: 'sales' })])
    await room.scheduler.start()
    await room.clock.advance(60_000)
    await idle()
    expect(room.woken).toEqual([])
    expect(room.sent.map(({ message }) => message.type)).toEqual(['markdown', 'file', 'file'])
    const [slot] = await room.slots('daily')
    expect(slot).toMatchObject({ state: 'delivered', deliveries: '["om_1","om_2","om_3"]' })
    expect(slot?.size).toBe(Buffer.byteLength('昨天 1 234 元') + 10)
  })

  it('is tried again when its source is only away, and told when it stays so', async () => {
    let tries = 0
    const away = new AppError('report.source_away', 'the database does not answer', { retryable: true })
    const room = await openRoom({
      start: NINE,
      reports: reports(async () => {
        tries++
        throw away
      }),
    })
    const { db } = room.store
    await room.load([daily({ prompt: undefined, report: 'sales' })])
    await db
      .updateTable('schedules')
      .set({ authority: JSON.stringify({ mayOperate: false, tools: null, origin: GROUP }) })
      .execute()
    await room.scheduler.start()
    await room.clock.advance(60_000)
    await room.clock.advance(60_000)
    await idle()
    expect(tries).toBe(3)
    expect((await room.slots('daily'))[0]).toMatchObject({ state: 'failed' })
    expect((await room.slots('daily'))[0]?.error).toContain('report.source_away')
    expect(JSON.stringify(room.sent)).toContain('the database does not answer')
  })

  it('wrong parameters are refused when it is saved, in the words of the report', async () => {
    const room = await openRoom({ start: NINE, reports: reports(async () => rendered) })
    const fields = { cron: '0 9 * * *', report: 'sales', params: { column: 'x' } }
    expect(await code(room.desk.propose({ action: 'create', fields }, asker(), 'c'))).toBe('report.column')
  })

  it('a renderer that died is replaced after its time, by whichever process is there', async () => {
    const stuck = await openRoom({ start: NINE, reports: reports(() => new Promise(() => {})) })
    await stuck.load([daily({ prompt: undefined, report: 'sales' })])
    await stuck.desk.act('run', 'daily', asker(ADMIN), 'om_1')
    const next = await openRoom({
      clock: stuck.clock,
      store: stuck.store,
      seed: 'n',
      reports: reports(async () => rendered),
    })
    await next.scheduler.start()
    await next.clock.advance(4 * 60_000)
    expect(next.sent).toEqual([])
    await next.clock.advance(2 * 60_000)
    await idle()
    expect(next.sent).toHaveLength(3)
  })

  it('a report that was being rendered when the service died is rendered by the next start, at once', async () => {
    const stuck = await openRoom({ start: NINE, reports: reports(() => new Promise(() => {})) })
    await stuck.load([daily({ prompt: undefined, report: 'sales' })])
    await stuck.desk.act('run', 'daily', asker(ADMIN), 'om_1')
    await releaseAllLeases(stuck.store.db)
    const { clock, store } = stuck
    const next = await openRoom({ clock, store, seed: 'n', reports: reports(async () => rendered) })
    await next.scheduler.start()
    await next.clock.advance(1_000)
    await idle()
    expect(next.sent).toHaveLength(3)
  })
})

describe('a delivery that fails', () => {
  it('within the deadline it is tried again; after it the creator and the administrators are told, once', async () => {
    let down = true
    const room = await openRoom({
      start: NINE,
      onSend: (chatId) => {
        if (down && chatId === 'oc_group')
          throw new AppError('feishu.unavailable', '502', { retryable: true })
      },
    })
    await room.load([daily({ deliverWithin: '10m' })])
    const origin = { ...GROUP, chatId: 'oc_origin' }
    const authority = JSON.stringify({ mayOperate: true, tools: null, origin })
    await room.store.db.updateTable('schedules').set({ authority }).execute()
    await room.scheduler.start()
    await room.clock.advance(60_000)
    await room.playAll()
    expect((await room.slots('daily'))[0]?.state).toBe('sending')
    await room.clock.advance(40 * 60_000)
    expect((await room.slots('daily'))[0]).toMatchObject({ state: 'failed', deliveries: '[]' })
    expect(room.sent.map(({ chatId }) => chatId)).toEqual(['oc_origin'])
    expect(JSON.stringify(room.sent)).toContain('没有成功')
    down = false
  })

  it('a model that fails is no delivery either: the slot failed and its people are told', async () => {
    const { room, id } = await created()
    await room.clock.advance(60_000)
    await room.playAll('failed')
    await idle()
    expect((await room.slots(id))[0]).toMatchObject({ state: 'failed' })
    expect(JSON.stringify(room.sent)).toContain('执行没有成功')
  })
})
