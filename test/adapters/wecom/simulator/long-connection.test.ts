import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { directChat } from '../../../../adapters/wecom/simulator/control.ts'
import {
  BOT,
  BOT_NAME,
  connect,
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

  it('wecom 1: refuses every command before the subscription with 846609', async () => {
    const client = await connect(sim.wsUrl)
    expect((await client.call('ping')).errcode).toBe(846609)
    expect((await client.call('aibot_send_msg', { chatid: GROUP, msgtype: 'markdown' })).errcode).toBe(846609)
  })

  it('wecom 1: answers a wrong secret with an errcode, closes, and sends no callback', async () => {
    const client = await connect(sim.wsUrl)
    const answer = await client.call('aibot_subscribe', { bot_id: BOT, secret: 'wrong' })
    expect(answer.errcode).not.toBe(0)
    await client.closed()
    await sim.control.people.send({
      chat: GROUP,
      from: 'zhangsan',
      at: { bot: BOT },
      type: 'text',
      text: '在吗',
    })
    expect(client.frames).toEqual([answer])
    expect(sim.control.corp.online(BOT)).toBe(false)
  })

  it('wecom 2: a second subscription sends disconnected_event to the first socket and closes it', async () => {
    const first = await subscribed(sim)
    const second = await subscribed(sim)
    const event = await first.next()
    expect(event.cmd).toBe('aibot_event_callback')
    expect(event.body.event).toEqual({ eventtype: 'disconnected_event' })
    expect(event.body).not.toHaveProperty('from')
    await first.closed()
    expect((await second.call('ping')).errcode).toBe(0)
    expect(sim.control.corp.online(BOT)).toBe(true)
  })

  it('wecom 3: a ping is answered by its req_id and errcode 0, without a cmd', async () => {
    const client = await subscribed(sim)
    expect(await client.call('ping', undefined, 'ping_1')).toEqual({
      headers: { req_id: 'ping_1' },
      errcode: 0,
      errmsg: 'ok',
    })
  })

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

  it('keeps a message req_id usable for 24 hours, for several answers, and no longer', async () => {
    const client = await subscribed(sim)
    await sim.control.people.send({
      chat: GROUP,
      from: 'zhangsan',
      at: { bot: BOT },
      type: 'text',
      text: '任务',
    })
    const reqId = (await client.next()).headers.req_id
    const markdown = { msgtype: 'markdown', markdown: { content: '好' } }
    expect((await client.call('aibot_respond_msg', markdown, reqId)).errcode).toBe(0)
    await sim.clock.advance(86_400_000)
    expect((await client.call('aibot_respond_msg', markdown, reqId)).errcode).toBe(0)
    await sim.clock.advance(1)
    expect((await client.call('aibot_respond_msg', markdown, reqId)).errcode).toBe(846605)
    expect((await client.call('aibot_respond_msg', markdown, 'nobody')).errcode).toBe(846605)
  })

  it('wecom 19: pushes only where somebody spoke; a lower-cased chatid is 93006', async () => {
    const client = await subscribed(sim)
    const push = (chatid: string, type: number) =>
      client.call('aibot_send_msg', {
        chatid,
        chat_type: type,
        msgtype: 'markdown',
        markdown: { content: '日报' },
      })
    expect((await push(GROUP, 2)).errcode).not.toBe(0)
    expect((await push('zhangsan', 1)).errcode).not.toBe(0)
    await sim.control.people.send({
      chat: GROUP,
      from: 'zhangsan',
      at: { bot: BOT },
      type: 'text',
      text: 'hi',
    })
    await sim.control.people.send({
      chat: directChat(BOT, 'zhangsan'),
      from: 'zhangsan',
      type: 'text',
      text: 'hi',
    })
    expect((await push(GROUP, 2)).errcode).toBe(0)
    expect((await push(GROUP.toLowerCase(), 2)).errcode).toBe(93006)
    expect((await push('ZhangSan', 1)).errcode).toBe(0)
    expect((await push('LiSi', 1)).errcode).not.toBe(0)
    const text = { chatid: GROUP, chat_type: 2, msgtype: 'text', text: { content: 'x' } }
    expect((await client.call('aibot_send_msg', text)).errcode).toBe(40008)
  })

  it('loses what is said while nobody is connected, unless replayMissed is set', async () => {
    const say = (text: string) =>
      sim.control.people.send({
        chat: GROUP,
        from: 'zhangsan',
        at: { bot: BOT, gap: ' ' },
        type: 'text',
        text,
      })
    await say('一')
    const first = await subscribed(sim)
    await first.call('ping')
    expect(first.frames.filter((frame) => frame.cmd !== undefined)).toEqual([])
    sim.control.faults.killSocket(BOT)
    expect(await first.closed()).toBe(1006)
    sim.control.settings.replayMissed = true
    await sim.control.until(() => !sim.control.corp.online(BOT))
    await say('二')
    const second = await connect(sim.wsUrl)
    await second.call('aibot_subscribe', { bot_id: BOT, secret: SECRET })
    expect((await second.next()).body.text.content).toBe(`@${BOT_NAME} 二`)
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

  it('wecom 40: a cut network ends the socket and refuses new ones until its time is over', async () => {
    const client = await subscribed(sim)
    sim.control.faults.cutNetwork(120_000)
    expect(await client.closed()).toBe(1006)
    await expect(connect(sim.wsUrl)).rejects.toThrow()
    await sim.clock.advance(119_999)
    await expect(connect(sim.wsUrl)).rejects.toThrow()
    await sim.clock.advance(1)
    expect((await (await subscribed(sim)).call('ping')).errcode).toBe(0)
  })

  it('drops a silent connection when the setting names a limit', async () => {
    sim.control.settings.idleLimitSec = 60
    const client = await subscribed(sim)
    await sim.clock.advance(40_000)
    await client.call('ping')
    await sim.clock.advance(40_000)
    expect(sim.control.corp.online(BOT)).toBe(true)
    await sim.clock.advance(20_000)
    expect(await client.closed()).toBe(1006)
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

  it('refuses unknown commands and req_ids over 256 bytes, and ignores unknown fields', async () => {
    const client = await subscribed(sim)
    expect((await client.call('aibot_get_mcp_config', {})).errcode).not.toBe(0)
    expect((await client.call('ping', undefined, 'x'.repeat(257))).errcode).toBe(40058)
    expect((await client.call('ping', { anything: 1 })).errcode).toBe(0)
  })
})
