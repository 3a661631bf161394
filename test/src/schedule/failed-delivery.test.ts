import { describe, expect, it } from 'vitest'
import { AppError } from '../../../src/protocol/errors.ts'
import { settle } from '../../support/settle.ts'
import { created, NINE } from './confirmed.ts'
import { daily, GROUP, openRoom } from './fixture.ts'

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
    await settle()
    expect((await room.slots(id))[0]).toMatchObject({ state: 'failed' })
    expect(JSON.stringify(room.sent)).toContain('执行没有成功')
  })
})
