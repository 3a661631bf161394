import { describe, expect, it } from 'vitest'
import { connectedStage, createStage, until } from './stage.ts'

describe('the long connection', () => {
  it('connects, takes a message and is the only socket of the app', async () => {
    await using stage = await connectedStage()
    expect(stage.adapter.status()).toMatchObject({ state: 'connected', detail: '' })
    expect(stage.control.connections(stage.app.appId)).toBe(1)
    const messageId = stage.control.say(stage.group, stage.people.li, '@[驿站] 你好')
    await stage.received(1)
    expect(stage.message()).toMatchObject({ messageId, text: '你好', mentionsBot: true })
  })

  it('feishu 5: a busy endpoint is tried again by itself', async () => {
    await using stage = await createStage()
    stage.control.faults.onEndpoint({ code: 1000040345, message: 'system busy', times: 2 })
    await stage.start()
    expect(stage.adapter.status().state).toBe('reconnecting')
    expect(stage.adapter.status().detail).toContain('1000040345')
    while (stage.adapter.status().state !== 'connected') await stage.clock.advance(8_000)
    expect(stage.control.connections(stage.app.appId)).toBe(1)
  })

  it('feishu 5: a bad secret at the endpoint stops and says what to change', async () => {
    await using stage = await createStage()
    stage.control.faults.onEndpoint({ code: 514, message: 'auth failed', times: 9 })
    await expect(stage.start()).rejects.toMatchObject({ code: 'feishu.bad_secret', retryable: false })
    expect(stage.adapter.status()).toMatchObject({ state: 'failed' })
    await stage.clock.advance(600_000)
    expect(stage.control.journal().filter((entry) => entry.kind === 'connection').length).toBe(1)
  })

  it('feishu 5: a wrong secret is found before the socket, and never logged', async () => {
    await using stage = await createStage({ config: { appSecret: 'wrong-secret-of-ours' } })
    await expect(stage.start()).rejects.toMatchObject({ code: 'feishu.bad_secret' })
    expect(JSON.stringify(stage.lines)).not.toContain('wrong-secret-of-ours')
  })

  it('R37, feishu 6: a silent stall is noticed, the socket replaced, and nothing is lost', {
    timeout: 60_000,
  }, async () => {
    await using stage = await connectedStage()
    stage.control.faults.stallSockets(stage.app.appId)
    stage.control.say(stage.group, stage.people.li, '@[驿站] 还在吗')
    await stage.clock.advance(151_000)
    await until(() => stage.adapter.status().state === 'reconnecting')
    while (stage.adapter.status().state !== 'connected') await stage.clock.advance(1_000)
    expect(stage.events).toHaveLength(0)
    await stage.clock.advance(300_000)
    await stage.received(1)
    expect(stage.message().text).toBe('还在吗')
  })

  it('R37: a server that closes is come back to, once', async () => {
    await using stage = await connectedStage()
    stage.control.faults.closeSockets(stage.app.appId)
    await until(() => stage.adapter.status().state === 'reconnecting')
    while (stage.adapter.status().state !== 'connected') await stage.clock.advance(1_000)
    expect(stage.control.connections(stage.app.appId)).toBe(1)
  })

  it('R37: a quiet but healthy connection is kept', async () => {
    await using stage = await connectedStage()
    const pings = (): number =>
      stage.control.journal().filter((entry) => entry.kind === 'connection' && entry.change === 'ping').length
    const before = pings()
    await stage.clock.advance(600_000)
    await until(() => pings() > before)
    stage.control.say(stage.group, stage.people.li, '@[驿站] 在')
    await stage.received(1)
    expect(stage.adapter.status().state).toBe('connected')
    expect(
      stage.control.journal().filter((entry) => entry.kind === 'connection' && entry.change === 'open'),
    ).toEqual([])
  })

  it('feishu 7: an event in the tick of the upgrade is lost by the SDK and comes again', async () => {
    await using stage = await connectedStage()
    stage.control.faults.closeSockets(stage.app.appId)
    await until(() => stage.adapter.status().state === 'reconnecting')
    stage.control.faults.onDelivery({ effect: 'early' })
    stage.control.say(stage.group, stage.people.li, '@[驿站] 太早')
    while (stage.adapter.status().state !== 'connected') await stage.clock.advance(1_000)
    await stage.clock.advance(330_000)
    await until(() => stage.events.length > 0)
    await stage.control.idle()
    expect(stage.events).toMatchObject([{ type: 'message', text: '太早' }])
  })

  it('feishu 8: three fragments in any order are one event and one acknowledgement', async () => {
    await using stage = await connectedStage()
    stage.control.faults.onDelivery({ effect: 'fragment' })
    stage.control.say(stage.group, stage.people.li, '@[驿站] 分片')
    await stage.received(1)
    await stage.control.idle()
    expect(stage.control.deliveries('im.message.receive_v1')).toMatchObject([{ outcome: 'ok', attempt: 1 }])
    expect(stage.events).toHaveLength(1)
  })

  it('feishu 9: the acknowledgement goes out when receive resolves, whatever the run does', async () => {
    await using stage = await connectedStage()
    stage.control.say(stage.group, stage.people.li, '@[驿站] 慢慢来')
    await stage.received(1)
    await stage.control.idle()
    const [delivery] = stage.control.deliveries('im.message.receive_v1')
    expect(delivery).toMatchObject({ outcome: 'ok' })
    expect((delivery?.finishedAt ?? Number.NaN) - (delivery?.at ?? 0)).toBeLessThan(1_000)
  })

  it('a rejected event is not acknowledged and comes again', async () => {
    await using stage = await connectedStage()
    stage.onEvent = () => Promise.reject(new Error('database is away'))
    stage.control.say(stage.group, stage.people.li, '@[驿站] 再来')
    await stage.received(1)
    await stage.control.idle()
    expect(stage.control.deliveries('im.message.receive_v1')).toMatchObject([{ outcome: 'failed' }])
    stage.onEvent = () => Promise.resolve({})
    await stage.clock.advance(15_000)
    await stage.received(2)
  })

  it.each(['event', 'card'] as const)('a click in a frame of type %s is answered', async (cardFrameType) => {
    await using stage = await connectedStage({ settings: { cardFrameType } })
    const { messageId } = await stage.adapter.send(
      { botId: 'ops', chatId: stage.group, chatType: 'group' },
      {
        type: 'card',
        card: {
          title: '审批',
          tone: 'warning',
          summary: '审批',
          cardId: 'a1',
          blocks: [{ type: 'code', text: 'ls' }],
          buttons: [{ text: '允许', style: 'primary', value: { id: 'a1', decision: 'allow' } }],
        },
      },
      { key: `card-${cardFrameType}`, priority: 'high' },
    )
    stage.onEvent = async () => ({ toast: { tone: 'success', text: '已允许' } })
    const outcome = await stage.control.click({ userId: stage.people.han, messageId, on: '允许' })
    expect(outcome).toMatchObject({ toast: { type: 'success', content: '已允许' } })
    expect(stage.events).toMatchObject([
      { type: 'action', value: { id: 'a1', decision: 'allow' }, messageId },
    ])
  })

  it('stop lets a running handler finish, acknowledges, and closes', async () => {
    const stage = await connectedStage()
    const slow = Promise.withResolvers<void>()
    stage.onEvent = async () => {
      await slow.promise
      return {}
    }
    stage.control.say(stage.group, stage.people.li, '@[驿站] 等等')
    await stage.received(1)
    const stopped = stage.adapter.stop()
    slow.resolve()
    await stopped
    await stage.control.idle()
    expect(stage.control.deliveries('im.message.receive_v1')).toMatchObject([{ outcome: 'ok' }])
    expect(stage.adapter.status().state).toBe('stopped')
    await stage[Symbol.asyncDispose]()
  })
})
