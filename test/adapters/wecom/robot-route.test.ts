import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Card } from '../../../src/protocol/card.ts'
import { type House, passing, startHouse, textOf, until } from './house.ts'
import { options } from './twins.ts'

describe('group robots', () => {
  let house: House
  beforeEach(async () => {
    house = await startHouse()
  })
  afterEach(() => house.stop())
  const DAILY = { botId: 'oa', chatId: 'robot:daily', chatType: 'group' as const }

  it('wecom 35: the 21st report of a minute waits for the next, and none is lost', async () => {
    const sending = Promise.all(
      Array.from({ length: 21 }, (_, index) =>
        house.adapter.send(DAILY, { type: 'markdown', markdown: `日报 ${index}` }, options(`r${index}`)),
      ),
    )
    await until(() => house.said().length === 20)

    await passing(house.sim, sending)

    expect(house.said().map(textOf)).toEqual(Array.from({ length: 21 }, (_, index) => `日报 ${index}`))
  })

  it('wecom 35: 45009 is retryable after a minute', async () => {
    house.sim.control.faults.add({ name: 'webhook/send', effect: 'error', errcode: 45009 })

    await expect(
      house.adapter.send(DAILY, { type: 'markdown', markdown: 'x' }, options('r')),
    ).rejects.toMatchObject({
      code: 'wecom.rate_limited',
      retryAfterMs: 60_000,
    })
  })

  it('an unknown robot names the known ones; buttons are refused', async () => {
    await expect(
      house.adapter.send({ ...DAILY, chatId: 'robot:x' }, { type: 'text', text: 'x' }, options('r')),
    ).rejects.toMatchObject({ code: 'wecom.unknown_robot', hint: expect.stringContaining('daily') })
    const card: Card = {
      title: 't',
      tone: 'info',
      blocks: [],
      buttons: [{ text: 'a', style: 'primary', value: { a: 'b' } }],
      summary: 's',
      cardId: 'c',
    }
    await expect(house.adapter.send(DAILY, { type: 'card', card }, options('r'))).rejects.toMatchObject({
      code: 'wecom.card_refused',
    })
  })
})
