import { afterEach, describe, expect, it } from 'vitest'
import { configSchema } from '../../../src/config/schema.ts'
import { type GatewayStage, messageEvent, openGateway, person } from './stage.ts'

let stage: GatewayStage
afterEach(() => stage.close())

const MINUTE = 60_000
const said = { text: '删除 build', mentionsBot: true, sentAt: Date.UTC(2026, 0, 5, 1) + 123 }
const rows = async (): Promise<number> =>
  (await stage.store.db.selectFrom('inbox').select('id').execute()).length

async function receive(...changes: object[]): Promise<void> {
  for (const change of changes) await stage.gateway.receive(messageEvent({ ...said, ...change }))
  await stage.gateway.drain()
}

describe('R23: a message that comes again under new ids', () => {
  it.each([0, 1_000, 90 * MINUTE])('%i ms later it is the same message, and wakes nobody', async (later) => {
    stage = await openGateway()
    await receive({})
    await stage.clock.advance(later)
    await receive({}, { eventId: 'another' })
    expect(await rows()).toBe(1)
    expect(stage.woken).toHaveLength(1)
    expect(stage.counted).toEqual(['message message', ...twice('message message', 'message duplicate')])
  })

  it('five at once are one', async () => {
    stage = await openGateway()
    await Promise.all(Array.from({ length: 5 }, () => receive({})))
    expect(await rows()).toBe(1)
  })

  it('is known after a restart, too', async () => {
    stage = await openGateway()
    await receive({})
    await stage.close()
    stage = await openGateway({}, stage.store.dataDir)
    await receive({})
    expect([await rows(), stage.woken]).toEqual([1, []])
  })

  it('a command is carried out once', async () => {
    stage = await openGateway()
    await receive({ text: '/whoami' }, { text: '/whoami' })
    await stage.clock.advance(0)
    expect(stage.adapter.calls).toHaveLength(1)
  })

  it.each<[string, object]>([
    ['another person', { sender: person('feishu:ou_2') }],
    ['another moment', { sentAt: said.sentAt + 1 }],
    ['other words', { text: '删除 build ' }],
    ['another chat', { address: { botId: 'ops', chatId: 'oc_2', chatType: 'group' } }],
    ['another topic', { address: { botId: 'ops', chatId: 'oc_1', chatType: 'group', threadId: 't' } }],
    ['another file', { attachments: [{ kind: 'file', name: 'a.txt', handle: {} }] }],
  ])('%s makes it another message', async (_what, change) => {
    stage = await openGateway()
    await receive({}, change)
    expect(await rows()).toBe(2)
  })

  it('where times are whole seconds, the same word twice at once is meant twice; late it is a replay', async () => {
    stage = await openGateway()
    const sentAt = Date.UTC(2026, 0, 5, 1)
    await receive({ sentAt }, { sentAt })
    expect(await rows()).toBe(2)
    await stage.clock.advance(2_000)
    await receive({ sentAt })
    expect(await rows()).toBe(2)
  })

  it('where times are whole seconds, pictures sent at once are all meant, however late they come', async () => {
    stage = await openGateway()
    const picture = (handle: string): object => ({
      ...{ text: '', sentAt: Date.UTC(2026, 0, 5, 1) },
      attachments: [{ kind: 'image', handle: { url: handle } }],
    })
    await stage.clock.advance(MINUTE)
    await receive(picture('a'), picture('b'))
    expect(await rows()).toBe(2)
  })

  it('is another message where the operator says so', async () => {
    stage = await openGateway({ inbound: configSchema.parse({ inbound: { dropReplays: false } }).inbound })
    await receive({}, {})
    expect(await rows()).toBe(2)
  })

  it('the age from which nothing is run any more is the operator’s', async () => {
    stage = await openGateway({ inbound: configSchema.parse({ inbound: { staleAfter: '10m' } }).inbound })
    await stage.clock.advance(11 * MINUTE)
    await receive({})
    expect(stage.counted).toEqual(['message refuse'])
  })
})

const twice = (...counts: string[]): string[] => [...counts, ...counts]

describe('R27: a bot that mentions us again and again', () => {
  const bot = { sender: person('feishu:ou_bot', { isBot: true }) }
  const words = (count: number): object[] =>
    Array.from({ length: count }, (_, index) => ({
      ...bot,
      text: `第 ${index} 句`,
      sentAt: said.sentAt + index,
    }))

  it('is answered three times in a row; the end is said once, without an answer to it', async () => {
    stage = await openGateway()
    await receive(...words(6))
    await stage.clock.advance(0)
    expect(await rows()).toBe(3)
    expect(stage.adapter.said()).toEqual(['gateway.bot_chain most=3'])
  })

  it('is met with silence where the operator allows no answers', async () => {
    stage = await openGateway({ inbound: configSchema.parse({ inbound: { botChain: 0 } }).inbound })
    await receive(...words(3))
    await stage.clock.advance(0)
    expect(await rows()).toBe(0)
    expect(stage.adapter.said()).toEqual([])
  })

  it('is answered again once a person has spoken', async () => {
    stage = await openGateway({ inbound: configSchema.parse({ inbound: { botChain: 1 } }).inbound })
    const [one = {}, two = {}, three = {}] = words(3)
    await receive(one, two, { text: '继续' }, three)
    expect(await rows()).toBe(3)
  })
})
