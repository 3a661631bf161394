import { describe, expect, it } from 'vitest'
import { appChat, directChat } from '../../../adapters/wecom/simulator/control.ts'
import type { Card } from '../../../src/protocol/card.ts'
import { passing, textOf, until } from './house.ts'
import { APP } from './simulator/fixture.ts'
import { options } from './twins.ts'
import { card, decided, URL_BOT, urlHouses } from './url-house.ts'

const start = urlHouses()

describe('callbacks', () => {
  it('wecom 14: a click by URL is answered with the changed card', async () => {
    const house = await start()
    const { sim, adapter, ask, said } = house
    const event = await ask('uname')
    await passing(
      sim,
      adapter.send(event.address, { type: 'card', card, replyTo: event.replyTo }, options('c1')),
    )
    house.receipt = async () => ({ card: decided })

    const messageId = said().at(-1)?.id ?? ''
    const view = await passing(
      sim,
      sim.control.people.click({ messageId, from: 'LiSi', key: 'approval=a1&decision=allow' }),
    )

    expect(view).toMatchObject({ outcome: 'updated', card: { buttons: [{ text: '已允许 ✓' }] } })
  })

  it('C12: words that a card cannot show stand in the stream before it, or the card gives way to text', async () => {
    const { sim, adapter, ask, said } = await start()
    const event = await ask('uname')
    const wordy: Card = {
      ...card,
      blocks: [...card.blocks, { type: 'text', text: '‼ 会删除文件'.repeat(20) }],
    }
    const message = { type: 'card' as const, card: wordy, replyTo: event.replyTo }

    await passing(sim, adapter.send(event.address, message, options('c1')))

    expect(said().map(textOf)).toEqual([expect.stringContaining('‼ 会删除文件'.repeat(20)), '[card]'])
    await expect(adapter.send(event.address, message, options('c2'))).rejects.toMatchObject({
      code: 'wecom.card_refused',
    })
  })

  it('the welcome of a URL bot is the answer to the callback', async () => {
    const house = await start()
    const { sim, adapter, said } = house
    const chat = directChat(URL_BOT, 'zhangsan')
    house.receipt = async (event) => {
      if (event.type === 'chat_entered') {
        await adapter.send(
          event.address,
          { type: 'text', text: '你好', replyTo: event.replyTo ?? '' },
          options('w'),
        )
      }
      return {}
    }

    await sim.control.people.openChat(chat)
    await until(() => said(chat).length === 1)

    expect(said(chat).map(textOf)).toEqual(['你好'])
  })

  it("wecom 36: an app card is repainted by the click's own one-time code, and an unclicked one by its first", async () => {
    const house = await start()
    const { sim, adapter, events, said } = house
    const to = { botId: 'oa', chatId: 'app:LiSi', chatType: 'direct' as const }
    const chat = appChat(APP.agentId, 'LiSi')
    const sent = await adapter.send(to, { type: 'card', card }, options('c1'))
    house.receipt = async () => ({ card: decided })

    const messageId = said(chat)[0]?.id ?? ''
    await passing(
      sim,
      sim.control.people.click({ messageId, from: 'LiSi', key: 'approval=a1&decision=allow' }),
    )
    await until(() => JSON.stringify(said(chat)[0]?.content).includes('已允许 ✓'))

    expect(events).toMatchObject([
      { type: 'action', operator: { user: 'wecom:lisi' }, value: { approval: 'a1' } },
    ])
    const again = await adapter.send(to, { type: 'card', card: { ...card, cardId: 'a2' } }, options('c2'))
    const spent = await adapter.update(
      again,
      to,
      { type: 'card', card: { ...decided, tag: '已过期' } },
      options('c2'),
    )
    expect(JSON.stringify(said(chat).at(-1)?.content)).toContain('已过期')
    await expect(
      adapter.update(spent, to, { type: 'card', card: decided }, options('c2')),
    ).rejects.toMatchObject({ code: 'wecom.frozen' })
    expect(sent.handle.kind).toBe('app')
  })

  it('changes of approval forms become events', async () => {
    const { sim, events } = await start()
    sim.control.approvals.template({ templateId: 'T1', name: '采购报销', controls: [] })
    const number = sim.control.approvals.file({
      templateId: 'T1',
      applicant: 'zhangsan',
      steps: [{ rule: 'any', approvers: ['LiSi'] }],
      contents: [],
    })
    sim.control.approvals.act(number, { type: 'approve', by: 'LiSi' })
    await passing(
      sim,
      until(() => events.length === 2),
      1_000,
    )

    expect(events).toMatchObject([
      { type: 'oa_approval', number, name: '采购报销', change: 'filed', applicant: 'wecom:zhangsan' },
      { type: 'oa_approval', number, change: 'agreed' },
    ])
    expect(new Set(events.map((event) => ('eventId' in event ? event.eventId : ''))).size).toBe(2)
  })
})
