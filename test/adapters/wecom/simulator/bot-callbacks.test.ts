import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { directChat } from '../../../../adapters/wecom/simulator/control.ts'
import {
  BOT,
  BOT_NAME,
  type Fixture,
  GROUP,
  PNG,
  SECRET,
  startCorp,
  streamBody,
  subscribed,
} from './fixture.ts'

describe('the long connection', () => {
  let sim: Fixture
  beforeEach(async () => {
    sim = await startCorp()
  })
  afterEach(() => sim.stop())

  it('wecom 4: a group message calls back only with a mention, and then once', async () => {
    const client = await subscribed(sim)
    const { people } = sim.control
    await people.send({ chat: GROUP, from: 'zhangsan', type: 'text', text: '大家好' })
    await people.send({ chat: GROUP, from: 'zhangsan', at: { bot: BOT }, type: 'text', text: '部署 staging' })
    const callback = await client.next()
    await client.call('ping')
    expect(client.frames.filter((frame) => frame.cmd === 'aibot_msg_callback')).toEqual([callback])
    expect(callback.body).toMatchObject({
      aibotid: BOT,
      chatid: GROUP,
      chattype: 'group',
      from: { userid: 'zhangsan' },
      msgtype: 'text',
      text: { content: `@${BOT_NAME}\u2005部署 staging` },
    })
    expect(callback.body.response_url).toMatch(/\/cgi-bin\/aibot\/response\?response_code=\w+$/)
  })

  it.each([
    ['@ at the start', { bot: BOT }, `@${BOT_NAME}\u2005查 账单`],
    ['@ in the middle', { bot: BOT, position: 'middle' as const }, `查 @${BOT_NAME}\u2005账单`],
    ['@ at the end', { bot: BOT, position: 'end' as const }, `查 账单 @${BOT_NAME}`],
    ['full-width ＠', { bot: BOT, sign: '＠' as const, gap: ' ' }, `＠${BOT_NAME} 查 账单`],
  ])('wecom 7: puts the mention as plain text: %s', async (_name, at, content) => {
    const client = await subscribed(sim)
    await sim.control.people.send({ chat: GROUP, from: 'zhangsan', at, type: 'text', text: '查 账单' })
    expect((await client.next()).body.text).toEqual({ content })
  })

  it('wecom 5: a single chat calls back without chatid', async () => {
    const client = await subscribed(sim)
    const chat = directChat(BOT, 'zhangsan')
    await sim.control.people.send({ chat, from: 'zhangsan', type: 'text', text: '你好' })
    const { body } = await client.next()
    expect(body).toMatchObject({
      chattype: 'single',
      from: { userid: 'zhangsan' },
      text: { content: '你好' },
    })
    expect(body).not.toHaveProperty('chatid')
  })

  it('wecom 6: media in a group do not call back, but quoted with a mention they arrive', async () => {
    const client = await subscribed(sim)
    const { people } = sim.control
    const base = { chat: GROUP, from: 'zhangsan', name: '发票.pdf', bytes: PNG }
    const file = await people.send({ ...base, type: 'file' })
    await people.send({ ...base, type: 'image' })
    await people.send({ ...base, type: 'video' })
    await people.send({ ...base, type: 'voice', transcript: '喂' })
    await people.send({
      chat: GROUP,
      from: 'LiSi',
      at: { bot: BOT },
      type: 'text',
      text: '看这个',
      quote: file,
    })
    const { body } = await client.next()
    await client.call('ping')
    expect(client.frames.filter((frame) => frame.cmd !== undefined)).toHaveLength(1)
    expect(body.quote.msgtype).toBe('file')
    expect(body.quote.file.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/media\//)
    expect(body.quote.file.aeskey).toMatch(/^[A-Za-z0-9+/]{43}=?$/)
  })

  it('delivers file, image, video, transcribed voice and mixed in a single chat', async () => {
    const client = await subscribed(sim)
    const { people } = sim.control
    const base = { chat: directChat(BOT, 'zhangsan'), from: 'zhangsan', name: 'a', bytes: PNG }
    const types: string[] = []
    for (const message of [
      { ...base, type: 'file' as const },
      { ...base, type: 'image' as const },
      { ...base, type: 'video' as const },
      { ...base, type: 'voice' as const, transcript: '帮我查报销' },
      {
        ...base,
        type: 'mixed' as const,
        parts: [
          { type: 'text' as const, text: '看图' },
          { type: 'image' as const, bytes: PNG },
        ],
      },
    ]) {
      await people.send(message)
      const { body } = await client.next()
      types.push(body.msgtype)
      if (body.msgtype === 'voice') expect(body.voice).toEqual({ content: '帮我查报销' })
      if (body.msgtype === 'mixed') {
        expect(body.mixed.msg_item.map((item: { msgtype: string }) => item.msgtype)).toEqual([
          'text',
          'image',
        ])
      }
    }
    expect(types).toEqual(['file', 'image', 'video', 'voice', 'mixed'])
  })

  it('wecom 11: an enter_chat or click req_id carries no message, and enter_chat comes once a day', async () => {
    const client = await subscribed(sim)
    const chat = directChat(BOT, 'zhangsan')
    await sim.control.people.openChat(chat)
    await sim.control.people.openChat(chat)
    const enter = await client.next()
    expect(enter.body.event).toEqual({ eventtype: 'enter_chat' })
    const { req_id: reqId } = enter.headers
    expect((await client.call('aibot_respond_msg', streamBody('s', 'hi'), reqId)).errcode).toBe(846605)
    const hello = { msgtype: 'text', text: { content: '我是运维助手' } }
    expect((await client.call('aibot_respond_welcome_msg', hello, reqId)).errcode).toBe(0)
    expect((await client.call('aibot_respond_welcome_msg', hello, reqId)).errcode).toBe(846605)
    expect(sim.control.transcript(chat).map((message) => message.content)).toEqual([
      { type: 'text', text: '我是运维助手' },
    ])
    await client.call('ping')
    expect(client.frames.filter((frame) => frame.cmd !== undefined)).toHaveLength(1)
    await sim.clock.advance(24 * 3_600_000)
    await sim.control.people.openChat(chat)
    expect((await client.next()).body.event.eventtype).toBe('enter_chat')
  })

  it('names the sender of another corp by its encrypted id and corpid', async () => {
    const client = await subscribed(sim)
    await sim.control.people.send({
      chat: GROUP,
      from: 'woLZguest',
      at: { bot: BOT },
      type: 'text',
      text: 'hi',
    })
    expect((await client.next()).body.from).toEqual({ userid: 'woLZguest', corpid: 'wwOther' })
  })

  it('duplicates or loses a callback on demand', async () => {
    const client = await subscribed(sim)
    const say = () =>
      sim.control.people.send({ chat: GROUP, from: 'zhangsan', at: { bot: BOT }, type: 'text', text: 'hi' })
    sim.control.faults.add({ name: 'aibot_msg_callback', effect: 'duplicate' })
    await say()
    const [first, second] = [await client.next(), await client.next()]
    expect(second).toEqual(first)
    sim.control.faults.add({ name: 'aibot_msg_callback', effect: 'drop' })
    await say()
    await client.call('ping')
    expect(client.frames.filter((frame) => frame.cmd !== undefined)).toHaveLength(2)
  })

  it('does not deliver to a person outside the visible range of the bot', async () => {
    sim.control.corp.bot({ botId: BOT, name: BOT_NAME, secret: SECRET, visible: { departments: [3] } })
    const client = await subscribed(sim)
    for (const from of ['zhangsan', 'wangwu']) {
      await sim.control.people.send({ chat: GROUP, from, at: { bot: BOT }, type: 'text', text: 'hi' })
    }
    expect((await client.next()).body.from.userid).toBe('wangwu')
  })
})
