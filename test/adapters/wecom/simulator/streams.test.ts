import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BOT, type Fixture, GROUP, type RawClient, startCorp, streamBody, subscribed } from './fixture.ts'

describe('stream messages', () => {
  let sim: Fixture
  let client: RawClient
  let reqId: string
  const frame = (id: string, content: string, finish = false) =>
    client.call('aibot_respond_msg', streamBody(id, content, finish), reqId)
  const answers = () =>
    sim.control
      .transcript(GROUP)
      .filter((message) => message.sender.type === 'bot')
      .map((message) => message.content)

  beforeEach(async () => {
    sim = await startCorp()
    client = await subscribed(sim)
    await sim.control.people.send({
      chat: GROUP,
      from: 'zhangsan',
      at: { bot: BOT },
      type: 'text',
      text: '写诗',
    })
    reqId = (await client.next()).headers.req_id
  })
  afterEach(() => sim.stop())

  it('wecom 8: the first frame makes one message, later ones replace it, finish freezes it', async () => {
    await frame('s1', '床前')
    await frame('s1', '床前明月光')
    expect(answers()).toEqual([{ type: 'stream', text: '床前明月光', finished: false, images: [] }])
    await frame('s1', '床前明月光。', true)
    expect((await frame('s1', '改掉', true)).errcode).not.toBe(0)
    expect(answers()).toEqual([{ type: 'stream', text: '床前明月光。', finished: true, images: [] }])
  })

  it.each([360, 600] as const)(
    'wecom 9: a frame after %i seconds answers 846608 and changes nothing',
    async (limit) => {
      sim.control.settings.streamLimitSec = limit
      await frame('s1', '一')
      await sim.clock.advance(limit * 1000)
      expect((await frame('s1', '二')).errcode).toBe(0)
      await sim.clock.advance(1000)
      expect((await frame('s1', '三', true)).errcode).toBe(846608)
      expect(answers()).toEqual([{ type: 'stream', text: '二', finished: false, images: [] }])
      expect((await frame('s2', '三', true)).errcode).toBe(0)
    },
  )

  it('wecom 10: takes 20480 bytes of content and refuses 20481, counted as UTF-8', async () => {
    expect((await frame('s1', `${'汉'.repeat(6826)}ab`)).errcode).toBe(0)
    expect((await frame('s1', `${'汉'.repeat(6827)}`)).errcode).not.toBe(0)
    expect((await frame('s1', 'a'.repeat(20_481))).errcode).not.toBe(0)
  })

  it('ignores a finish frame with nothing to see, so that the bubble keeps thinking', async () => {
    await frame('s1', '<think></think>')
    await frame('s1', ' \u200b\n', true)
    expect(answers()).toEqual([{ type: 'stream', text: '<think></think>', finished: false, images: [] }])
  })

  it('wecom 20: the 31st message of a minute is refused, other chats and stream frames are not', async () => {
    const markdown = { msgtype: 'markdown', markdown: { content: '行' } }
    await frame('s1', '开头')
    for (let i = 0; i < 29; i++) await client.call('aibot_respond_msg', markdown, reqId)
    expect((await client.call('aibot_respond_msg', markdown, reqId)).errcode).toBe(846607)
    expect((await frame('s1', '还能改', true)).errcode).toBe(0)
    const direct = `dm:${BOT}:zhangsan`
    await sim.control.people.send({ chat: direct, from: 'zhangsan', type: 'text', text: 'hi' })
    const other = (await client.next()).headers.req_id
    expect((await client.call('aibot_respond_msg', markdown, other)).errcode).toBe(0)
    await sim.clock.advance(60_000)
    expect((await client.call('aibot_respond_msg', markdown, reqId)).errcode).toBe(0)
  })

  it('counts stream frames when the setting says so', async () => {
    sim.control.settings.countStreamFrames = true
    for (let i = 0; i < 30; i++) expect((await frame('s1', `第 ${i} 句`)).errcode).toBe(0)
    expect((await frame('s1', '第 31 句')).errcode).toBe(846607)
  })

  it('feedback goes out for a message that carried a feedback id, and only an empty answer is allowed', async () => {
    const stream = { id: 's1', content: '42', finish: true, feedback: { id: 'FB1' } }
    await client.call('aibot_respond_msg', { msgtype: 'stream', stream }, reqId)
    const message = sim.control.transcript(GROUP).find((one) => one.feedback)
    await sim.control.people.feedback({
      messageId: message?.id ?? '',
      from: 'LiSi',
      type: 2,
      content: '算错了',
      reasons: [2, 4],
    })
    const event = await client.next()
    expect(event.body.event).toEqual({
      eventtype: 'feedback_event',
      feedback_event: { id: 'FB1', type: 2, content: '算错了', inaccurate_reason_list: [2, 4] },
    })
    expect((await client.call('aibot_respond_msg', stream, event.headers.req_id)).errcode).toBe(846605)
  })

  it('wecom 24: a dropped ack still applies the message', async () => {
    sim.control.faults.add({ name: 'aibot_respond_msg', effect: 'drop' })
    void frame('s1', '一次', true)
    await sim.control.until(() => answers().length === 1)
    expect(answers()).toEqual([{ type: 'stream', text: '一次', finished: true, images: [] }])
    expect((await client.call('ping')).errcode).toBe(0)
    expect(client.frames.some((one) => one.cmd === undefined && one.headers.req_id === reqId)).toBe(false)
  })

  it('delays, duplicates and refuses acks on demand', async () => {
    const { faults } = sim.control
    faults.add({ name: 'aibot_respond_msg', effect: 'error', errcode: -1 })
    expect((await frame('s1', '一')).errcode).toBe(-1)
    expect(answers()).toEqual([])
    faults.add({ name: 'ping', effect: 'duplicate' })
    await client.call('ping', undefined, 'p1')
    await client.call('ping', undefined, 'p2')
    expect(client.frames.filter((one) => one.headers.req_id === 'p1')).toHaveLength(2)
    faults.add({ name: 'aibot_respond_msg', effect: 'delay', ms: 7000 })
    const late = frame('s1', '二')
    await sim.control.until(() => answers().length === 1)
    await sim.clock.advance(7000)
    expect((await late).errcode).toBe(0)
  })
})
