import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openStage, type Stage, until } from './stage.ts'

describe('long connection through the real SDK', () => {
  let stage: Stage
  afterEach(() => stage.close())

  const outcomes = (): string[] => stage.control.deliveries('im.message.receive_v1').map((one) => one.outcome)

  it('feishu 4: the client connects, pings with its service id and takes the configuration', async () => {
    stage = await openStage()
    const socket = await stage.connect({})
    expect(socket.getConnectionStatus().state).toBe('connected')
    const changes = stage.control
      .journal()
      .flatMap((one) => (one.kind === 'connection' ? [`${one.change}: ${one.detail}`] : []))
    expect(changes).toEqual(['endpoint: code 0', 'open: service 33554678', 'ping: service 33554678'])
    expect(stage.control.connections(stage.app.appId)).toBe(1)
  })

  it('feishu 4: a message reaches the handler and is acknowledged', async () => {
    stage = await openStage()
    const heard: unknown[] = []
    await stage.connect({ 'im.message.receive_v1': (data) => void heard.push(data) })
    const messageId = stage.control.say(stage.group, stage.ann, '@[Agent] hello @[Bo]')
    await stage.control.idle()
    expect(outcomes()).toEqual(['ok'])
    expect(heard).toMatchObject([
      {
        event_type: 'im.message.receive_v1',
        app_id: stage.app.appId,
        sender: {
          sender_type: 'user',
          sender_id: { open_id: stage.control.openId(stage.ann, stage.app.appId) },
        },
        message: {
          message_id: messageId,
          chat_type: 'group',
          content: '{"text":"@_user_1 hello @_user_2"}',
          mentions: [
            { key: '@_user_1', id: { open_id: stage.app.botOpenId }, mentioned_type: 'bot', name: 'Agent' },
            { key: '@_user_2', mentioned_type: 'user', name: 'Bo' },
          ],
        },
      },
    ])
  })

  it('feishu 7: a frame in the tick of the upgrade is lost by the SDK and comes again after 15 s', async () => {
    stage = await openStage()
    let runs = 0
    stage.control.faults.onDelivery({ effect: 'early' })
    stage.control.say(stage.group, stage.ann, '@[Agent] early')
    await stage.connect({ 'im.message.receive_v1': () => void runs++ })
    await stage.clock.advance(3000)
    await until(() => outcomes().includes('timeout'))
    expect(runs).toBe(0)
    await stage.clock.advance(15_000)
    await stage.control.idle()
    expect(outcomes()).toEqual(['timeout', 'ok'])
    expect(runs).toBe(1)
  })

  it('feishu 8: three fragments in shuffled order are handled once with one acknowledgement', async () => {
    stage = await openStage()
    const texts: string[] = []
    await stage.connect({
      'im.message.receive_v1': (data: { message: { content: string } }) =>
        void texts.push(data.message.content),
    })
    stage.control.faults.onDelivery({ effect: 'fragment' })
    stage.control.say(stage.group, stage.ann, '@[Agent] 分成三段也要读得完整')
    await stage.control.idle()
    expect(texts).toEqual(['{"text":"@_user_1 分成三段也要读得完整"}'])
    expect(outcomes()).toEqual(['ok'])
  })

  it('feishu 13: a throwing handler acknowledges 500 and the event comes again on the ladder', async () => {
    stage = await openStage()
    let runs = 0
    const fail = (): never => {
      runs++
      throw new Error('no')
    }
    await stage.connect({ 'im.message.receive_v1': fail })
    stage.control.say(stage.group, stage.ann, '@[Agent] again')
    for (const ms of [0, 15_000, 300_000, 3_600_000, 21_600_000, 86_400_000]) {
      await stage.clock.advance(ms)
      await stage.control.idle()
    }
    expect(runs).toBe(5)
    const tries = stage.control.deliveries('im.message.receive_v1')
    expect(tries.map((one) => [one.attempt, one.outcome, one.status])).toEqual(
      [1, 2, 3, 4, 5].map((n) => [n, 'failed', 500]),
    )
    expect(new Set(tries.map((one) => one.eventId)).size).toBe(1)
  })

  it('refuses a wrong secret with 514, an app without bot with 403, and obeys endpoint faults, always with data', async () => {
    stage = await openStage()
    const ask = async (secret: string): Promise<unknown> => {
      const body = JSON.stringify({ AppID: stage.app.appId, AppSecret: secret })
      const response = await fetch(`${stage.sim.url}/callback/ws/endpoint`, { method: 'POST', body })
      return response.json()
    }
    expect(await ask('wrong')).toEqual({ code: 514, msg: 'auth failed', data: {} })
    stage.control.faults.onEndpoint({ code: 1000040345 })
    expect(await ask(stage.app.appSecret)).toMatchObject({ code: 1000040345, data: {} })
    stage.control.updateApp(stage.app.appId, { bot: false })
    expect(await ask(stage.app.appSecret)).toMatchObject({ code: 403, data: {} })
  })

  it('lets a ticket open one socket only', async () => {
    stage = await openStage()
    const body = JSON.stringify({ AppID: stage.app.appId, AppSecret: stage.app.appSecret })
    const response = await fetch(`${stage.sim.url}/callback/ws/endpoint`, { method: 'POST', body })
    const answer = z.object({ data: z.object({ URL: z.string() }) }).parse(await response.json())
    const open = (): Promise<string> =>
      new Promise((resolve) => {
        const socket = new WebSocket(answer.data.URL)
        socket.addEventListener('open', () => {
          socket.close()
          resolve('open')
        })
        socket.addEventListener('error', () => resolve('refused'))
      })
    expect(await open()).toBe('open')
    expect(await open()).toBe('refused')
  })

  it('counts a stalled socket as a timeout and delivers again after the reconnect', async () => {
    stage = await openStage()
    let runs = 0
    await stage.connect({ 'im.message.receive_v1': () => void runs++ })
    stage.control.faults.stallSockets(stage.app.appId)
    stage.control.say(stage.group, stage.ann, '@[Agent] anyone?')
    await stage.clock.advance(3000)
    await stage.control.idle()
    stage.control.faults.resumeSockets(stage.app.appId)
    await stage.clock.advance(15_000)
    await stage.control.idle()
    expect([outcomes(), runs]).toEqual([['timeout', 'ok'], 1])
  })

  it('gives each event to one of several connections, never to all', async () => {
    stage = await openStage({ settings: { rateLimits: false } })
    const heard = [0, 0]
    await stage.connect({ 'im.message.receive_v1': () => void heard.splice(0, 1, (heard[0] ?? 0) + 1) })
    await stage.connect({ 'im.message.receive_v1': () => void heard.splice(1, 1, (heard[1] ?? 0) + 1) })
    for (let n = 0; n < 20; n++) stage.control.say(stage.group, stage.ann, `@[Agent] ${n}`)
    await stage.control.idle()
    expect(heard[0] ?? 0).toBeGreaterThan(0)
    expect(heard[1] ?? 0).toBeGreaterThan(0)
    expect((heard[0] ?? 0) + (heard[1] ?? 0)).toBe(20)
  })

  it('redelivers with the same or a new event id, and reorders what is held back', async () => {
    stage = await openStage()
    const events: string[] = []
    const contents: string[] = []
    await stage.connect({
      'im.message.receive_v1': (data: { event_id: string; message: { content: string } }) => {
        events.push(data.event_id)
        contents.push(data.message.content)
      },
    })
    const messageId = stage.control.say(stage.group, stage.ann, '@[Agent] one')
    await stage.control.idle()
    stage.control.faults.redeliver(messageId)
    await stage.control.idle()
    stage.control.faults.redeliver(messageId, { newEventId: true })
    await stage.control.idle()
    expect(events[1]).toBe(events[0])
    expect(events[2]).not.toBe(events[0])
    contents.length = 0
    stage.control.faults.onDelivery({ effect: 'hold' })
    stage.control.say(stage.group, stage.ann, '@[Agent] first')
    stage.control.say(stage.group, stage.ann, '@[Agent] second')
    await until(() => contents.length === 2)
    expect(contents).toEqual(['{"text":"@_user_1 second"}', '{"text":"@_user_1 first"}'])
  })
})
