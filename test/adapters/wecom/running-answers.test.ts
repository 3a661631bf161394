import { afterEach, describe, expect, it } from 'vitest'
import type { OutboundMessage, SentMessage } from '../../../src/protocol/outbound.ts'
import { answering, GROUP_ADDRESS, type House, liveOf, passing, startHouse, textOf, until } from './house.ts'
import { options } from './twins.ts'

const done = (text: string): OutboundMessage & { type: 'live' } =>
  liveOf(text, { phase: 'done', label: '完成' })
const _names = (house: House): string[] => house.sim.control.journal().map((entry) => entry.name)

describe('running answers', () => {
  let house: House
  afterEach(() => house.stop())

  it('wecom 8: one bubble that is replaced and then finished', async () => {
    house = await startHouse()
    const say = answering(house, await house.ask('hi'), 'l-1')

    await say(liveOf('先'))
    expect(house.said().map(textOf)).toEqual(['正在处理…\n\n先 ▍'])
    await say(liveOf('先看日志'))
    await say(done('先看日志，没有问题。'))

    expect(house.said().map(textOf)).toEqual(['先看日志，没有问题。'])
  })

  it('wecom 9: before the limit the bubble is finished with a note and the rest follows in a new one, once', async () => {
    house = await startHouse()
    const say = answering(house, await house.ask('hi'), 'l-1')
    await say(liveOf('第一段。'))

    await passing(house.sim, house.sim.clock.advance(336_000))
    await until(() => house.said().every((message) => !textOf(message).endsWith('▍')))
    await house.sim.clock.advance(60_000)
    await say(done('第一段。第二段。'))

    expect(house.said().map(textOf)).toEqual([
      '正在处理…\n\n第一段。\n\n⏳ 还没有完成，稍后在新消息里继续。',
      '第二段。',
    ])
  })

  it('wecom 9: a frame that WeCom finds too late is followed by the rest in a new bubble', async () => {
    house = await startHouse()
    const say = answering(house, await house.ask('hi'), 'l-1')
    await say(liveOf('第一段。'))
    house.sim.control.faults.add({ name: 'aibot_respond_msg', effect: 'error', errcode: 846608 })

    await say(done('第一段。第二段。'))

    expect(house.said().map(textOf)).toEqual(['正在处理…\n\n第一段。 ▍', '第二段。'])
  })

  it('wecom 10: an answer of 70,000 bytes goes on in further bubbles without a broken character', async () => {
    house = await startHouse()
    const say = answering(house, await house.ask('hi'), 'l-1')
    const text = '驿站接力'.repeat(5_800)

    await say(done(text))

    const said = house.said().map(textOf)
    expect(said).toHaveLength(4)
    expect(said.join('').replaceAll('（未完，接下一条消息）', '').replace(/\s/g, '')).toBe(text)
  })

  it('a final that was shown already is not said again', async () => {
    house = await startHouse()
    const say = answering(house, await house.ask('hi'), 'l-1')

    await say(done('好了'))
    await say({ type: 'markdown', markdown: '好了' })

    expect(house.said().map(textOf)).toEqual(['好了'])
  })

  it('wecom 24: a final frame whose acknowledgement got lost is an unknown outcome and stands once', async () => {
    house = await startHouse()
    const say = answering(house, await house.ask('hi'), 'l-1')
    await say(liveOf('先'))
    house.sim.control.faults.add({ name: 'aibot_respond_msg', effect: 'drop' })

    await expect(passing(house.sim, say(done('先看')))).rejects.toMatchObject({
      code: 'wecom.outcome_unknown',
    })

    expect(house.said().map(textOf)).toEqual(['先看'])
  })

  it('wecom 39: after a restart the old bubble is closed and the answer stands once', async () => {
    house = await startHouse()
    const event = await house.ask('hi')
    const sent = await answering(house, event, 'l-1')(liveOf('先看'))
    await house.adapter.stop()
    const reborn = house.another()
    await reborn.start(async () => ({}))
    let prepared: SentMessage['handle'] = {}
    const final = { ...done('先看日志，没有问题。'), replyTo: event.replyTo }
    const onPrepared = async (handle: SentMessage['handle']): Promise<void> => {
      prepared = handle
    }

    await reborn.update(sent, event.address, final, options('l-1', { onPrepared }))
    expect(house.said().map(textOf)).toEqual(['服务刚刚重启，结果见下一条消息。', '先看日志，没有问题。'])

    // The process dies again before it could note that the final was acknowledged.
    await reborn.stop()
    const third = house.another()
    await third.start(async () => ({}))
    await third.update(sent, event.address, final, options('l-1', { prepared }))
    expect(house.said().map(textOf)).toEqual(['服务刚刚重启，结果见下一条消息。', '先看日志，没有问题。'])
  })

  it('R22: after a restart the old bubble is closed also when the run ends at once, and the answer stands once', async () => {
    house = await startHouse()
    const event = await house.ask('hi')
    const sent = await answering(house, event, 'l-1')(liveOf('没有问题。'))
    await house.adapter.stop()
    const reborn = house.another()
    await reborn.start(async () => ({}))
    const final = { ...done('没有问题。'), replyTo: event.replyTo }

    // The answer stood in the log already: its run shows it and ends in the same breath.
    const ended = new AbortController()
    const shown = reborn.update(sent, event.address, final, options('l-1', { signal: ended.signal }))
    ended.abort(new Error('the run has ended'))
    await expect(shown).rejects.toThrow('the run has ended')
    await reborn.update(sent, event.address, final, options('f-1'))

    expect(house.said().map(textOf)).toEqual(['服务刚刚重启，结果见下一条消息。', '没有问题。'])
  })

  it('without a message to answer nothing runs, and the final is pushed once', async () => {
    house = await startHouse()
    await house.ask('hi')

    const sent = await house.adapter.send(GROUP_ADDRESS, liveOf('先'), options('l-2'))
    expect(house.said()).toEqual([])
    const final = await house.adapter.update(sent, GROUP_ADDRESS, done('日报：一切正常'), options('l-2'))
    await house.adapter.update(final, GROUP_ADDRESS, done('日报：一切正常'), options('l-2'))

    expect(house.said().map(textOf)).toEqual(['日报：一切正常'])
  })
})
