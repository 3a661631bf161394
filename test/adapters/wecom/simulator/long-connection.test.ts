import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { directChat } from '../../../../adapters/wecom/simulator/control.ts'
import { BOT, BOT_NAME, connect, type Fixture, GROUP, SECRET, startCorp, subscribed } from './fixture.ts'

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

  it('refuses unknown commands and req_ids over 256 bytes, and ignores unknown fields', async () => {
    const client = await subscribed(sim)
    expect((await client.call('aibot_get_mcp_config', {})).errcode).not.toBe(0)
    expect((await client.call('ping', undefined, 'x'.repeat(257))).errcode).toBe(40058)
    expect((await client.call('ping', { anything: 1 })).errcode).toBe(0)
  })
})
