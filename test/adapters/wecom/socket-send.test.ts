/** What is said over the long connection: replies, pushes, and how often. */
import { afterEach, describe, expect, it } from 'vitest'
import { directChat } from '../../../adapters/wecom/simulator/control.ts'
import { GROUP_ADDRESS, type House, passing, startHouse, textOf, until } from './house.ts'
import { BOT, GROUP } from './simulator/fixture.ts'
import { options } from './twins.ts'

describe('what is said over the long connection', () => {
  let house: House
  afterEach(() => house.stop())

  it('wecom 7: a mention arrives as a message without the mention, and is answered by its req_id', async () => {
    house = await startHouse()

    const event = await house.ask('部署 staging')
    await house.adapter.send(
      event.address,
      { type: 'markdown', markdown: '好的', replyTo: event.replyTo },
      options('k1'),
    )

    expect(event).toMatchObject({
      text: '部署 staging',
      mentionsBot: true,
      sender: { user: 'wecom:zhangsan' },
    })
    expect(house.said().map(textOf)).toEqual(['好的'])
    expect(house.sim.control.journal().filter((entry) => entry.name === 'aibot_send_msg')).toEqual([])
  })

  it('wecom 24: a lost acknowledgement is an unknown outcome, and nothing is sent twice', async () => {
    house = await startHouse()
    const event = await house.ask('hi')
    house.sim.control.faults.add({ name: 'aibot_respond_msg', effect: 'drop' })

    const sending = house.adapter.send(
      event.address,
      { type: 'markdown', markdown: '只发一次', replyTo: event.replyTo },
      options('k1'),
    )

    await expect(passing(house.sim, sending)).rejects.toMatchObject({
      code: 'wecom.outcome_unknown',
      retryable: false,
    })
    expect(house.said().map(textOf)).toEqual(['只发一次'])
  })

  it('wecom 11: a req_id that is not good for replies is replaced by a push', async () => {
    house = await startHouse()
    const event = await house.ask('hi')
    const replyTo = JSON.stringify({ ...JSON.parse(event.replyTo), reqId: 'spent' })

    await house.adapter.send(event.address, { type: 'markdown', markdown: 'x', replyTo }, options('k1'))

    expect(house.said().map(textOf)).toEqual(['x'])
    expect(house.sim.control.journal().map((entry) => entry.name)).toContain('aibot_send_msg')
  })

  it('after 24 hours an answer is a push, without trying the old req_id', async () => {
    house = await startHouse()
    const event = await house.ask('hi')
    house.sim.clock.jump(25 * 3_600_000)

    await house.adapter.send(
      event.address,
      { type: 'markdown', markdown: 'x', replyTo: event.replyTo },
      options('k1'),
    )

    const names = house.sim.control.journal().map((entry) => entry.name)
    expect(names).toContain('aibot_send_msg')
    expect(names).not.toContain('aibot_respond_msg')
  })

  it('an answer never lands in another chat than its message', async () => {
    house = await startHouse()
    const event = await house.ask('hi')
    await house.tell('hi')
    const to = { botId: 'oa', chatId: 'zhangsan', chatType: 'direct' as const }

    await house.adapter.send(
      to,
      { type: 'markdown', markdown: '私聊', replyTo: event.replyTo },
      options('k1'),
    )

    expect(house.said(GROUP)).toEqual([])
    expect(house.said(directChat(BOT, 'zhangsan')).map(textOf)).toEqual(['私聊'])
  })

  it('a push to a lower-cased user reaches the id as WeCom writes it', async () => {
    house = await startHouse()
    await house.tell('hi', 'LiSi')

    await house.adapter.send(
      { botId: 'oa', chatId: 'lisi', chatType: 'direct' },
      { type: 'text', text: '*x*' },
      options('k'),
    )

    expect(house.said(directChat(BOT, 'LiSi')).map(textOf)).toEqual([String.raw`\*x\*`])
  })

  it('the welcome of an opened chat is answered once, within 5 s', async () => {
    house = await startHouse()
    await house.sim.control.people.openChat(directChat(BOT, 'zhangsan'))
    const event = await house.next('chat_entered')
    const message = { type: 'text' as const, text: '你好，我是运维助手', replyTo: event.replyTo ?? '' }

    await house.adapter.send(event.address, message, options('w1'))
    expect(house.said(directChat(BOT, 'zhangsan')).map(textOf)).toEqual(['你好，我是运维助手'])

    await house.sim.clock.advance(6_000)
    await expect(house.adapter.send(event.address, message, options('w2'))).rejects.toMatchObject({
      code: 'wecom.welcome_late',
    })
  })

  it('wecom 20: the 31st message of a minute waits, none is lost, and other chats are not held up', async () => {
    house = await startHouse()
    await house.ask('hi')
    await house.tell('hi')
    const sending = Promise.all(
      Array.from({ length: 33 }, (_, index) =>
        house.adapter.send(GROUP_ADDRESS, { type: 'markdown', markdown: `n${index}` }, options(`k${index}`)),
      ),
    )
    await until(() => house.said().length === 30)

    await house.adapter.send(
      { ...GROUP_ADDRESS, chatId: 'zhangsan', chatType: 'direct' },
      { type: 'markdown', markdown: 'y' },
      options('d'),
    )
    expect(house.said()).toHaveLength(30)
    await passing(house.sim, sending)

    expect(house.said().map(textOf)).toEqual(Array.from({ length: 33 }, (_, index) => `n${index}`))
  })

  it('a refusal for frequency is retryable and holds the chat', async () => {
    house = await startHouse()
    const event = await house.ask('hi')
    house.sim.control.faults.add({ name: 'aibot_respond_msg', effect: 'error', errcode: 846607 })
    const message = { type: 'markdown' as const, markdown: 'x', replyTo: event.replyTo }

    await expect(house.adapter.send(event.address, message, options('k'))).rejects.toMatchObject({
      code: 'wecom.rate_limited',
      retryable: true,
      retryAfterMs: 60_000,
    })
    const again = house.adapter.send(event.address, message, options('k'))
    await house.sim.clock.advance(59_000)
    expect(house.said()).toEqual([])
    await passing(house.sim, again)
    expect(house.said().map(textOf)).toEqual(['x'])
  })
})
