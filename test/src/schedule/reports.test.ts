import { describe, expect, it } from 'vitest'
import { AppError } from '../../../src/protocol/errors.ts'
import type { Reports } from '../../../src/protocol/report.ts'
import { releaseAllLeases } from '../../../src/store/repositories/sessions.ts'
import { settle } from '../../support/settle.ts'
import { code, NINE } from './confirmed.ts'
import { ADMIN, asker, daily, GROUP, openRoom } from './fixture.ts'

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
    await settle()
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
    await settle()
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
    await settle()
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
    await settle()
    expect(next.sent).toHaveLength(3)
  })
})
