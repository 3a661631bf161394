import { afterEach, describe, expect, it } from 'vitest'
import { directChat } from '../../../adapters/wecom/simulator/control.ts'
import type { Card } from '../../../src/protocol/card.ts'
import type { OutboundMessage, SentMessage } from '../../../src/protocol/outbound.ts'
import {
  answering,
  DIRECT_ADDRESS,
  GROUP_ADDRESS,
  type House,
  liveOf,
  passing,
  startHouse,
  textOf,
  until,
} from './house.ts'
import { BOT, GROUP } from './simulator/fixture.ts'
import { options } from './twins.ts'

const done = (text: string): OutboundMessage & { type: 'live' } =>
  liveOf(text, { phase: 'done', label: '完成' })
const names = (house: House): string[] => house.sim.control.journal().map((entry) => entry.name)

const pending: Card = {
  title: '执行命令需要确认',
  tone: 'warning',
  tag: '待审批',
  blocks: [{ type: 'code', text: 'uname -a' }],
  buttons: [
    { text: '允许', style: 'primary', value: { approval: 'a1', decision: 'allow', nonce: 'n' } },
    { text: '拒绝', style: 'danger', value: { approval: 'a1', decision: 'deny', nonce: 'n' } },
  ],
  summary: '等待审批',
  cardId: 'a1',
}
const decided = (tag: string): Card => ({ ...pending, tag, buttons: [] })

describe('approval cards', () => {
  let house: House
  afterEach(() => house.stop())

  const put = async (): Promise<string> => {
    const event = await house.ask('uname')
    await house.adapter.send(
      event.address,
      { type: 'card', card: pending, replyTo: event.replyTo },
      options('c1'),
    )
    return house.said().at(-1)?.id ?? ''
  }
  const press = (messageId: string, from: string, decision = 'allow') =>
    house.sim.control.people.click({ messageId, from, key: `approval=a1&decision=${decision}&nonce=n` })

  it("wecom 14: a click comes back with exactly the button's value and who clicked, and changes the card at once", async () => {
    house = await startHouse()
    const messageId = await put()
    house.receipt = async () => ({ card: decided('已允许 ✓') })

    const view = await press(messageId, 'LiSi')

    expect(await house.next('action')).toMatchObject({
      operator: { user: 'wecom:lisi' },
      value: { approval: 'a1', decision: 'allow', nonce: 'n' },
      handle: { taskId: 'a1' },
    })
    expect(view).toMatchObject({ outcome: 'updated', card: { buttons: [{ text: '已允许 ✓', key: 'noop' }] } })
  })

  it.each([
    ['wangwu', { to: '王五' }, '王五：你没有审批权限'],
    ['LiSi', {}, '李四：你没有审批权限'],
    ['wangwu', {}, '刚才点按钮的同事：你没有审批权限'],
  ])(
    'wecom 15: a refused click leaves the card and tells the person, by a given name, by that of the directory, or without: %s %j',
    async (clicker, to, words) => {
      house = await startHouse()
      const messageId = await put()
      house.receipt = async () => ({ toast: { tone: 'warning', text: '你没有审批权限', ...to } })

      const clicking = press(messageId, clicker)
      await until(() => house.said().length === 2)

      expect(await passing(house.sim, clicking)).toMatchObject({
        outcome: 'unanswered',
        card: { title: pending.title },
      })
      expect(textOf(house.said().at(-1) as never)).toBe(words)
    },
  )

  it('wecom 16: further clicks on a decided card reach nobody and change nothing', async () => {
    house = await startHouse()
    const messageId = await put()
    house.receipt = async () => ({ card: decided('已拒绝') })
    await press(messageId, 'LiSi', 'deny')

    await passing(house.sim, house.sim.control.people.click({ messageId, from: 'wangwu', key: 'noop' }))

    expect(house.events.filter((event) => event.type === 'action')).toHaveLength(1)
    expect(house.said(GROUP, 'wangwu').at(-1)?.content).toMatchObject({
      card: { buttons: [{ text: '已拒绝' }] },
    })
  })

  it('wecom 17: two clicks at once are two events, each answered with the recorded winner', async () => {
    house = await startHouse()
    const messageId = await put()
    house.receipt = async () => ({ card: decided('李四已允许') })

    const views = await Promise.all([press(messageId, 'LiSi'), press(messageId, 'wangwu', 'deny')])

    expect(house.events.filter((event) => event.type === 'action')).toHaveLength(2)
    for (const view of views)
      expect(view).toMatchObject({ outcome: 'updated', card: { buttons: [{ text: '李四已允许' }] } })
  })

  it('C17: a click answered too late still shows its outcome in the chat', async () => {
    house = await startHouse()
    const messageId = await put()
    house.receipt = async () => {
      await house.sim.clock.sleep(6_000)
      return { card: decided('已允许 ✓') }
    }

    await passing(house.sim, press(messageId, 'LiSi'))
    await passing(
      house.sim,
      until(() => house.said().length === 2),
    )

    expect(textOf(house.said().at(-1) as never)).toContain('已允许 ✓')
  })

  it('the open answer is finished before the card, so that WeCom takes it', async () => {
    house = await startHouse()
    const event = await house.ask('uname')
    const say = answering(house, event, 'l-1')
    await say(liveOf('需要运行一条命令'))

    await house.adapter.send(
      event.address,
      { type: 'card', card: pending, replyTo: event.replyTo },
      options('c1'),
    )
    await say(done('需要运行一条命令。结果：Linux'))

    expect(house.said().map(textOf)).toEqual([
      '✋ 已发出审批请求，见下方消息\n\n需要运行一条命令',
      '[card]',
      '。结果：Linux',
    ])
  })

  it('wecom 18: with cards in groups refused the caller learns to use text, and single chats still get cards', async () => {
    house = await startHouse({}, { groupCards: 'none' })
    const event = await house.ask('uname')
    await house.tell('hi', 'LiSi')

    await expect(
      house.adapter.send(
        event.address,
        { type: 'card', card: pending, replyTo: event.replyTo },
        options('c1'),
      ),
    ).rejects.toMatchObject({ code: 'wecom.card_refused', retryable: false })
    await house.adapter.send(
      { ...DIRECT_ADDRESS, chatId: 'lisi' },
      { type: 'card', card: pending },
      options('c2'),
    )

    expect(house.said().map(textOf)).toEqual([])
    expect(house.said(directChat(BOT, 'LiSi')).map(textOf)).toEqual(['[card]'])
  })

  it('wecom 18: a card for a group without a message to answer is refused without trying, unless all is set', async () => {
    house = await startHouse()
    await house.ask('hi')

    await expect(
      house.adapter.send(GROUP_ADDRESS, { type: 'card', card: pending }, options('c1')),
    ).rejects.toMatchObject({
      code: 'wecom.card_refused',
    })
    expect(names(house)).not.toContain('aibot_send_msg')
  })

  it('groupCards all pushes the card into the group', async () => {
    house = await startHouse({ groupCards: 'all' }, { groupCards: 'all' })
    await house.ask('hi')

    await house.adapter.send(GROUP_ADDRESS, { type: 'card', card: pending }, options('c1'))

    expect(house.said().map(textOf)).toEqual(['[card]'])
  })

  it('C16: a used task_id gets a new one, and the click still names the same approval', async () => {
    house = await startHouse()
    await put()
    const messageId = await put()

    house.receipt = async () => ({ card: decided('已允许 ✓') })
    expect(await press(messageId, 'LiSi')).toMatchObject({ outcome: 'updated' })
    expect(await house.next('action')).toMatchObject({
      value: { approval: 'a1' },
      handle: { taskId: expect.stringMatching(/^a1@/) },
    })
  })

  it('C12: a card whose code would be cut is never sent', async () => {
    house = await startHouse()
    const event = await house.ask('x')
    const card: Card = { ...pending, blocks: [{ type: 'code', text: 'x'.repeat(200) }] }

    await expect(
      house.adapter.send(event.address, { type: 'card', card, replyTo: event.replyTo }, options('c1')),
    ).rejects.toMatchObject({ code: 'wecom.card_refused', params: { reason: 'code' } })
    expect(house.said()).toEqual([])
  })

  it('C12: what the card cannot show is said in words first, once also when the card is tried again', async () => {
    house = await startHouse()
    const event = await house.ask('x')
    const risk = '‼ 会删除文件'.repeat(20)
    const wordy: Card = { ...pending, blocks: [...pending.blocks, { type: 'text', text: risk }] }
    const message = { type: 'card' as const, card: wordy, replyTo: event.replyTo }
    let prepared: SentMessage['handle'] = {}
    const onPrepared = async (handle: SentMessage['handle']): Promise<void> => {
      prepared = handle
      house.sim.control.faults.add({ name: 'aibot_respond_msg', effect: 'error', errcode: -1 })
    }

    await expect(
      house.adapter.send(event.address, message, options('c1', { onPrepared })),
    ).rejects.toMatchObject({
      retryable: true,
    })
    await house.adapter.send(event.address, message, options('c1', { prepared }))

    const [words, card] = house.said()
    expect(house.said()).toHaveLength(2)
    expect(words && textOf(words)).toContain(risk)
    expect(words && textOf(words)).not.toContain(pending.tag)
    expect(card?.content).toMatchObject({
      type: 'card',
      card: { subTitle: expect.stringMatching(/完整内容见上一条消息）$/) },
    })
  })

  it('a card of the AI bot cannot be changed later', async () => {
    house = await startHouse()
    const event = await house.ask('x')
    const sent = await house.adapter.send(
      event.address,
      { type: 'card', card: pending, replyTo: event.replyTo },
      options('c1'),
    )

    expect(house.adapter.capabilities.cardsUpdatable).toBe(false)
    await expect(
      house.adapter.update(sent, event.address, { type: 'card', card: decided('x') }, options('c1')),
    ).rejects.toMatchObject({
      code: 'wecom.frozen',
    })
  })
})
