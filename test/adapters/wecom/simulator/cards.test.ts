import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { directChat } from '../../../../adapters/wecom/simulator/control.ts'
import type { CardView } from '../../../../adapters/wecom/simulator/view.ts'
import {
  BOT,
  buttonCard,
  cardBody,
  type Fixture,
  GROUP,
  type RawClient,
  startCorp,
  subscribed,
} from './fixture.ts'

describe('cards of an AI bot', () => {
  let sim: Fixture
  let client: RawClient

  const handleIn = async (chat: string): Promise<string> => {
    await sim.control.people.send({ chat, from: 'zhangsan', at: { bot: BOT }, type: 'text', text: '重启' })
    return (await client.next((frame) => frame.cmd === 'aibot_msg_callback')).headers.req_id
  }
  const reply = async (chat: string, card: object) =>
    (await client.call('aibot_respond_msg', cardBody(card), await handleIn(chat))).errcode
  const lastCard = (chat: string, viewer?: string): { id: string; card: CardView } => {
    const message = sim.control.transcript(chat, viewer).findLast((one) => one.content.type === 'card')
    if (message?.content.type !== 'card') throw new Error('there is no card')
    return { id: message.id, card: message.content.card }
  }
  const click = (from: string, key: string, chat = GROUP) =>
    sim.control.people.click({ messageId: lastCard(chat).id, from, key })
  const clicked = () => client.next((frame) => frame.body?.event?.eventtype === 'template_card_event')
  const update = (reqId: string, card: object, userids?: string[]) =>
    client.call(
      'aibot_respond_update_msg',
      { response_type: 'update_template_card', template_card: card, ...(userids ? { userids } : {}) },
      reqId,
    )

  beforeEach(async () => {
    sim = await startCorp()
    client = await subscribed(sim)
  })
  afterEach(() => sim.stop())

  it.each([
    ['all', 0, 0],
    ['reply-only', 0, 40008],
    ['none', 40008, 40008],
  ] as const)(
    'wecom 18: groupCards=%s: a reply answers %i, a push %i; single chats take both',
    async (mode, asReply, asPush) => {
      sim.control.settings.groupCards = mode
      expect(await reply(GROUP, buttonCard('t1'))).toBe(asReply)
      const push = (chatid: string, type: number, id: string) =>
        client.call('aibot_send_msg', { chatid, chat_type: type, ...cardBody(buttonCard(id)) })
      expect((await push(GROUP, 2, 't2')).errcode).toBe(asPush)
      const direct = directChat(BOT, 'zhangsan')
      expect(await reply(direct, buttonCard('t3'))).toBe(0)
      expect((await push('zhangsan', 1, 't4')).errcode).toBe(0)
    },
  )

  const notice = { card_type: 'text_notice', main_title: { title: '完成' } }
  const vote = {
    card_type: 'vote_interaction',
    main_title: { title: '选' },
    checkbox: { question_key: 'q', option_list: [{ id: 'a', text: '甲' }] },
    task_id: 'v1',
  }
  const seven = Array.from({ length: 7 }, (_, i) => ({ text: `按钮${i}`, key: `k${i}` }))
  const twice = [
    { text: '允许', key: 'same' },
    { text: '拒绝', key: 'same' },
  ]
  it.each([
    ['seven buttons', { ...buttonCard('t1'), button_list: seven }, 40058],
    ['two buttons with one key', { ...buttonCard('t1'), button_list: twice }, 40058],
    [
      'a key of 1025 bytes',
      { ...buttonCard('t1'), button_list: [{ text: 'x', key: 'k'.repeat(1025) }] },
      40058,
    ],
    ['a task_id with a colon', buttonCard('shell:1'), 42014],
    ['a task_id of 129 bytes', buttonCard('x'.repeat(129)), 42014],
    ['an interactive card without task_id', { ...buttonCard('t'), task_id: undefined }, 42014],
    [
      'an action_menu without task_id',
      {
        ...notice,
        card_action: { type: 1, url: 'https://x' },
        action_menu: { action_list: [{ text: 'a', key: 'a' }] },
      },
      42014,
    ],
    ['a text_notice without card_action', notice, 42045],
    ['a text_notice with card_action type 0', { ...notice, card_action: { type: 0 } }, 42045],
    ['a vote without submit_button', vote, 42049],
    ['no title at all', { ...buttonCard('t1'), main_title: {} }, 41016],
    ['a card nested twice', { template_card: buttonCard('t1') }, 41016],
    [
      'seven rows',
      { ...buttonCard('t1'), horizontal_content_list: Array(7).fill({ keyname: 'k', value: 'v' }) },
      40058,
    ],
  ])('wecom 13: refuses %s', async (_name, card, errcode) => {
    expect(await reply(GROUP, card)).toBe(errcode)
    expect(sim.control.transcript(GROUP).filter((one) => one.content.type === 'card')).toEqual([])
  })

  it('wecom 13: a task_id counts once per bot, and a refused card does not use it up', async () => {
    expect(await reply(GROUP, { ...buttonCard('t1'), main_title: {} })).toBe(41016)
    expect(await reply(GROUP, buttonCard('t1'))).toBe(0)
    expect(await reply(directChat(BOT, 'zhangsan'), buttonCard('t1'))).toBe(42014)
  })

  it('wecom 14: a click is nested, with task_id, selections and the clicker', async () => {
    const button_selection = {
      question_key: 'scope',
      title: '范围',
      option_list: [
        { id: 'once', text: '仅此次' },
        { id: 'session', text: '本会话' },
      ],
      selected_id: 'once',
    }
    await reply(GROUP, { ...buttonCard('shell-7f3a'), button_selection })
    const shown = sim.control.people.click({
      messageId: lastCard(GROUP).id,
      from: 'lisi',
      key: 'approve',
      selections: { scope: ['session'] },
    })
    const event = await clicked()
    expect(event.body).toMatchObject({
      chatid: GROUP,
      chattype: 'group',
      from: { userid: 'LiSi' },
      msgtype: 'event',
    })
    expect(event.body.event).toEqual({
      eventtype: 'template_card_event',
      template_card_event: {
        card_type: 'button_interaction',
        event_key: 'approve',
        task_id: 'shell-7f3a',
        selected_items: {
          selected_item: [{ question_key: 'scope', option_ids: { option_id: ['session'] } }],
        },
      },
    })
    await update(event.headers.req_id, buttonCard('shell-7f3a', '李四已允许'))
    expect(await shown).toMatchObject({ outcome: 'updated', card: { title: '李四已允许' } })
  })

  it('wecom 11: a click is not answered by aibot_respond_msg', async () => {
    await reply(GROUP, buttonCard('t1'))
    void click('LiSi', 'approve')
    const { req_id: reqId } = (await clicked()).headers
    const answer = await client.call(
      'aibot_respond_msg',
      { msgtype: 'markdown', markdown: { content: 'x' } },
      reqId,
    )
    expect(answer.errcode).toBe(846605)
    expect((await update(await handleIn(GROUP), buttonCard('t1'))).errcode).toBe(846605)
  })

  it('wecom 12: an update counts at 4.9 s, not at 5.1 s, and only once', async () => {
    await reply(GROUP, buttonCard('t1'))
    const early = click('LiSi', 'approve')
    const first = (await clicked()).headers.req_id
    await sim.clock.advance(4900)
    expect((await update(first, buttonCard('t1', '好'))).errcode).toBe(0)
    expect((await update(first, buttonCard('t1', '又'))).errcode).toBe(846605)
    expect((await early).outcome).toBe('updated')
    const late = click('LiSi', 'approve')
    const second = (await clicked()).headers.req_id
    await sim.clock.advance(5100)
    expect((await update(second, buttonCard('t1', '晚'))).errcode).toBe(846605)
    expect(await late).toMatchObject({ outcome: 'unanswered', card: { title: '好' } })
  })

  it('an update keeps the task_id, is checked like a card, and does not use up the window when refused', async () => {
    await reply(GROUP, buttonCard('t1'))
    void click('LiSi', 'approve')
    const { req_id: reqId } = (await clicked()).headers
    expect((await update(reqId, buttonCard('other'))).errcode).toBe(42014)
    expect((await update(reqId, { ...notice, task_id: 't1' })).errcode).toBe(42045)
    expect((await client.call('aibot_respond_update_msg', cardBody(buttonCard('t1')), reqId)).errcode).toBe(
      40058,
    )
    expect((await update(reqId, buttonCard('t1', '好'))).errcode).toBe(0)
  })

  it('wecom 15: userids changes the copies of those people only; without it everybody sees the change', async () => {
    await reply(GROUP, buttonCard('t1'))
    const guest = click('wangwu', 'approve')
    await update((await clicked()).headers.req_id, buttonCard('t1', '您无权审批'), ['WangWu'])
    expect((await guest).card.title).toBe('您无权审批')
    expect(lastCard(GROUP, 'LiSi').card.title).toBe('执行命令需要确认')
    expect(lastCard(GROUP, 'wangwu').card.title).toBe('您无权审批')
    void click('LiSi', 'approve')
    await update((await clicked()).headers.req_id, buttonCard('t1', '李四已允许'))
    expect(lastCard(GROUP, 'wangwu').card.title).toBe('李四已允许')
  })

  it('ignores userids in a single chat', async () => {
    const direct = directChat(BOT, 'zhangsan')
    await reply(direct, buttonCard('t1'))
    void click('zhangsan', 'approve', direct)
    await update((await clicked()).headers.req_id, buttonCard('t1', '好'), ['somebody'])
    expect(lastCard(direct, 'zhangsan').card.title).toBe('好')
  })

  it('wecom 16: clicks by several people and repeated clicks each call back with an own req_id', async () => {
    await reply(GROUP, buttonCard('t1'))
    void click('LiSi', 'approve')
    void click('LiSi', 'approve')
    void click('zhangsan', 'deny')
    const events = [await clicked(), await clicked(), await clicked()]
    expect(new Set(events.map((event) => event.headers.req_id)).size).toBe(3)
    expect(new Set(events.map((event) => event.body.msgid)).size).toBe(3)
    expect(events.map((event) => event.body.from.userid)).toEqual(['LiSi', 'LiSi', 'zhangsan'])
  })

  it('says undelivered when nobody is connected, and refuses what the client does not offer', async () => {
    await reply(GROUP, buttonCard('t1'))
    await expect(click('LiSi', 'no-such-key')).rejects.toMatchObject({ code: 'simulator.refused' })
    await expect(click('stranger', 'approve')).rejects.toMatchObject({ code: 'simulator.refused' })
    sim.control.faults.killSocket(BOT)
    await sim.control.until(() => !sim.control.corp.online(BOT))
    expect((await click('LiSi', 'approve')).outcome).toBe('undelivered')
  })

  it('clips long texts as the client does and keeps the raw card', async () => {
    const command = 'rm -rf build && '.repeat(20)
    await reply(GROUP, { ...buttonCard('t1'), sub_title_text: command })
    const { card } = lastCard(GROUP)
    expect([...(card.subTitle ?? '')]).toHaveLength(112)
    expect(card.raw.sub_title_text).toBe(command)
  })
})
