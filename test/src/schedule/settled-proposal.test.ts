import { describe, expect, it } from 'vitest'
import type { OutboundMessage } from '../../../src/protocol/outbound.ts'
import { settle } from '../../support/settle.ts'
import { messageEvent, person } from '../gateway/stage.ts'
import { click, FIELDS, NINE } from './confirmed.ts'
import { asker, CREATOR, GROUP, openRoom, type RoomOptions } from './fixture.ts'

const DAY_MS = 24 * 3_600_000

async function proposed(options: RoomOptions = {}) {
  const room = await openRoom({ start: NINE, ...options })
  await room.scheduler.start()
  await room.desk.propose({ action: 'create', fields: FIELDS }, asker(), 'call-1')
  await settle()
  return room
}

function shown(message: OutboundMessage | undefined) {
  if (message?.type !== 'card') throw new Error('no card')
  const { tag, buttons, blocks } = message.card
  const fields = blocks.flatMap((block) => (block.type === 'fields' ? block.fields : []))
  return {
    tag,
    buttons: buttons.length,
    fields: fields.map(({ name, value }) => `${name} ${value}`).join('\n'),
  }
}

describe('the card of a change that is settled without a click', () => {
  it('by time: it says so within a minute, names nobody and no time to come, once', async () => {
    const room = await proposed()
    await room.clock.advance(DAY_MS + 120_000)
    await settle()
    expect(room.repainted.map(({ messageId }) => messageId)).toEqual(['om_1'])
    const card = shown(room.repainted[0]?.message)
    expect([card.tag, card.buttons]).toEqual(['已过期', 0])
    expect(card.fields).not.toMatch(/接下来|处理/)
    expect((await click(room, 0, CREATOR))?.toast?.text).toContain('已过期')
    expect(await room.store.db.selectFrom('schedules').selectAll().execute()).toEqual([])
    const audit = await room.store.db.selectFrom('audit').select(['actor', 'action']).execute()
    expect(audit).toEqual([{ actor: 'system', action: 'schedule.create.expired' }])
    await room.scheduler.stop()
  })

  it('by time while the service was down: the next start does it', async () => {
    const room = await openRoom({ start: NINE })
    await room.desk.propose({ action: 'create', fields: FIELDS }, asker(), 'call-1')
    await settle()
    room.clock.jump(DAY_MS)
    await room.scheduler.start()
    await settle()
    expect(room.repainted.map(({ message }) => shown(message).tag)).toEqual(['已过期'])
    await room.scheduler.stop()
  })

  it.each([
    ['confirm', '已确认'],
    ['cancel', '已取消'],
  ] as const)('by the word %s: it shows who decided and has no buttons', async (word, tag) => {
    const room = await proposed()
    await room.desk.decideWaiting(word, messageEvent({ address: GROUP, sender: person(CREATOR) }))
    await settle()
    const cards = room.repainted.map(({ message }) => shown(message))
    expect(cards.map((card) => [card.tag, card.buttons])).toEqual([[tag, 0]])
    expect(cards[0]?.fields).toContain('处理 ')
    await room.clock.advance(DAY_MS + 120_000)
    expect(room.repainted).toHaveLength(1)
    await room.scheduler.stop()
  })

  it('not sent yet: a card that nobody could click any more is not sent', async () => {
    const room = await proposed({
      onSend: () => Promise.reject(new Error('the platform is away')),
    })
    await room.store.db.updateTable('outbox').set({ state: 'pending', attempts: 0 }).execute()
    await room.desk.decideWaiting('cancel', messageEvent({ address: GROUP, sender: person(CREATOR) }))
    const mail = await room.store.db.selectFrom('outbox').select(['key', 'state']).execute()
    expect(mail.map(({ key, state }) => [key.slice(0, 3), state])).toEqual([['sp-', 'failed']])
    await room.scheduler.stop()
  })
})
