import { afterEach, describe, expect, it, vi } from 'vitest'
import { createSystemClock } from '../../src/system/clock.ts'
import { type Endpoint, startEndpoint } from './support/endpoint.ts'
import { openFeishuCompany } from './support/feishu-company.ts'
import { type FeishuHouse, openFeishuHouse } from './support/feishu-house.ts'
import { type House, openHouse } from './support/house.ts'

vi.setConfig({ testTimeout: 120_000 })

let house: House & Pick<FeishuHouse, 'simulator'>
let endpoint: Endpoint | undefined
afterEach(async () => {
  await house?.stop()
  await endpoint?.stop()
  endpoint = undefined
})

const MESSAGE = 'im.message.receive_v1'
const final = (count = 1, chatId?: string): Promise<unknown> =>
  house.until(() => house.finals(chatId).length >= count, `${count} answers`)

describe('events become runs once', () => {
  it('feishu 9: every event is acknowledged while the run still waits for its model', async () => {
    const gate = Promise.withResolvers<void>()
    endpoint = await startEndpoint('openai', () => ({ text: slow(gate.promise) }))
    house = await openFeishuHouse({ yaml: endpoint.yaml })
    await house.say('想一想')
    await house.say('再想一想')
    await house.until(() => endpoint?.turns.length, 'the model request')
    const { control } = house.simulator
    await control.idle()
    const deliveries = control.deliveries(MESSAGE)
    // The simulator gives up after 3 s, so an `ok` on the first attempt was in time.
    expect(deliveries.map(({ outcome, attempt }) => [outcome, attempt])).toEqual([
      ['ok', 1],
      ['ok', 1],
    ])
    expect((await house.runs())[0]?.state).toBe('running')
    gate.resolve()
    await final()
  })

  it('feishu 10: an event that comes five times, also after a restart, is one run and one answer', async () => {
    house = await openFeishuHouse()
    const messageId = await house.say('你好')
    await final()
    for (let copy = 0; copy < 2; copy++) house.redeliver(messageId)
    await house.simulator.control.idle()
    await house.restart()
    for (let copy = 0; copy < 2; copy++) house.redeliver(messageId)
    await house.simulator.control.idle()
    expect(house.simulator.control.deliveries(MESSAGE).map(({ outcome }) => outcome)).toEqual(
      Array.from({ length: 5 }, () => 'ok'),
    )
    expect(await house.runs()).toHaveLength(1)
    expect(house.finals()).toHaveLength(1)
  })

  it('feishu 11: another event id of one message is the same run; the same words again are another', async () => {
    house = await openFeishuHouse()
    const messageId = await house.say('你好')
    await final()
    house.simulator.control.faults.redeliver(messageId, { newEventId: true })
    await house.simulator.control.idle()
    expect(await house.runs()).toHaveLength(1)
    await house.say('你好')
    await final(2)
    expect(await house.runs()).toHaveLength(2)
  })

  it('feishu 12: two copies at the same moment are one run', async () => {
    house = await openFeishuHouse()
    house.simulator.control.faults.onDelivery({ eventType: MESSAGE, effect: 'duplicate' })
    await house.say('你好')
    await final()
    await house.simulator.control.idle()
    expect(await house.runs()).toHaveLength(1)
    expect(house.finals()).toHaveLength(1)
  })

  it('feishu 12: of two bots in one group each runs only when it is the one mentioned', async () => {
    const clock = createSystemClock()
    const company = await openFeishuCompany(clock)
    const { control } = company.simulator
    const second = control.createApp({ name: '小助手' })
    control.addBot(company.chatId, second.appId)
    const entry = `{ id: second, platform: feishu, appId: ${second.appId}, appSecret: "${second.appSecret}", domain: "${company.simulator.url}" }`
    house = await openHouse({ ...company, botYaml: `${company.botYaml}\n  - ${entry}` }, clock)
    control.say(company.chatId, company.people.member.id, [{ at: second.appId }, ' 你好'])
    await final()
    expect((await house.runs()).map((run) => run.session_id.split('/')[0])).toEqual(['second'])
    control.say(company.chatId, company.people.member.id, [
      { at: second.appId },
      { at: company.bot.appId },
      ' 你们好',
    ])
    await final(3)
    const bots = (await house.runs()).map((run) => run.session_id.split('/')[0])
    expect(bots.sort()).toEqual(['ops', 'second', 'second'])
  })
})

describe('who is spoken to', () => {
  it('feishu 16: without a mention of the bot nothing runs; a direct chat needs none', async () => {
    house = await openFeishuHouse()
    const { control } = house.simulator
    const { member } = house.people
    const stranger = control.createApp({ name: '别的机器人' })
    control.addBot(house.chatId, stranger.appId)
    control.say(house.chatId, member.id, '大家好')
    control.say(house.chatId, member.id, [{ at: stranger.appId }, ' 你好'])
    control.say(house.chatId, member.id, [{ at: 'all' }, ' 开会了'])
    await control.idle()
    expect(await house.runs()).toEqual([])
    const direct = house.direct(member)
    await house.say('你好', { chatId: direct })
    await final(1, direct)
    expect(await house.runs()).toHaveLength(1)
  })

  it('feishu 17: a command behind the mention is carried out, other mentions keep their names', async () => {
    house = await openFeishuHouse()
    const { bot } = house as FeishuHouse
    const { member, other } = house.people
    house.simulator.control.say(house.chatId, member.id, [{ at: bot.appId }, ' /whoami'])
    const reply = await house.until(
      () => house.shown().find((message) => message.text.includes(member.key)),
      'who I am',
    )
    expect(reply.text).toContain('你的编号')
    expect(await house.runs()).toEqual([])
    house.simulator.control.say(house.chatId, member.id, [
      { at: other.id },
      ' 请看 ',
      { at: bot.appId },
      ' 你好',
    ])
    await final()
    const [inbox] = await house.app.store.db
      .selectFrom('inbox')
      .select('payload')
      .where('kind', '=', 'message')
      .execute()
    expect(JSON.parse(inbox?.payload ?? '{}')).toMatchObject({ text: '@李四 请看 你好' })
  })

  it('feishu 18: a quote is answered by reply in the group; a topic is answered inside it and is its own session', async () => {
    house = await openFeishuHouse()
    const { bot } = house as FeishuHouse
    const { control } = house.simulator
    const { member } = house.people
    const root = control.say(house.chatId, member.id, '第一句话')
    const quoting = control.say(house.chatId, member.id, [{ at: bot.appId }, ' 你好'], { replyTo: root })
    await final()
    const answer = control.message(house.finals()[0]?.id ?? '')
    expect(answer?.parentId).toBe(quoting)
    expect(answer?.threadId).toBeUndefined()

    const topic = control.say(house.chatId, member.id, [{ at: bot.appId }, ' 你好'], {
      replyTo: root,
      inTopic: true,
    })
    await final(2)
    const inTopic = control.message(house.finals().at(-1)?.id ?? '')
    expect(inTopic?.threadId).toBe(control.message(topic)?.threadId)
    expect(inTopic?.threadId).toBeDefined()
    const sessions = (await house.runs()).map((run) => run.session_id)
    expect(new Set(sessions).size).toBe(2)
  })
})

async function* slow(gate: Promise<void>): AsyncIterable<string> {
  await gate
  yield '想好了。'
}
