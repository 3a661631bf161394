import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openStage, type Stage, tokenOf, until } from './stage.ts'

const type = 'im.message.receive_v1'
const info = '/open-apis/bot/v3/info'

describe('faults', () => {
  let stage: Stage
  beforeEach(async () => {
    stage = await openStage({ settings: { rateLimits: false } })
  })
  afterEach(() => stage.close())

  const outcomes = (): string[] => stage.control.deliveries(type).map((one) => one.outcome)
  const raw = async (signal?: AbortSignal): Promise<Response> => {
    const authorization = `Bearer ${await tokenOf(stage.sim.url, stage.app)}`
    return fetch(stage.sim.url + info, { headers: { authorization }, ...(signal ? { signal } : {}) })
  }
  const endpoint = async (): Promise<{ code: number; data: { URL?: string | undefined } }> => {
    const body = JSON.stringify({ AppID: stage.app.appId, AppSecret: stage.app.appSecret })
    const response = await fetch(`${stage.sim.url}/callback/ws/endpoint`, { method: 'POST', body })
    return z
      .object({ code: z.number(), data: z.object({ URL: z.string().optional() }) })
      .parse(await response.json())
  }

  it('loses, doubles and ignores deliveries', async () => {
    let runs = 0
    await stage.connect({ [type]: () => void runs++ })
    stage.control.faults.onDelivery({ effect: 'lose' })
    stage.control.say(stage.group, stage.ann, '@[Agent] lost')
    await stage.control.idle()
    expect([runs, outcomes()]).toEqual([0, ['lost']])
    stage.control.faults.onDelivery({ effect: 'duplicate', eventType: type })
    stage.control.say(stage.group, stage.ann, '@[Agent] twice')
    await stage.control.idle()
    expect([runs, outcomes()]).toEqual([2, ['lost', 'ok', 'ok']])
    stage.control.faults.onDelivery({ effect: 'ignore_answer' })
    stage.control.say(stage.group, stage.ann, '@[Agent] unheard answer')
    await stage.control.idle()
    await stage.clock.advance(15_000)
    await stage.control.idle()
    expect([runs, outcomes().slice(3)]).toEqual([5, ['timeout', 'ok', 'ok']])
  })

  it('answers with a page of a proxy, with headers, late, or never', async () => {
    stage.control.faults.onRequest({ route: `GET ${info}`, break: 'html' })
    const page = await raw()
    expect([page.status, page.headers.get('content-type')]).toEqual([502, 'text/html'])
    stage.control.faults.onRequest({
      status: 429,
      code: 99991400,
      headers: { 'x-ogw-ratelimit-reset': '7' },
      route: info,
    })
    const limited = await raw()
    expect([limited.status, limited.headers.get('x-ogw-ratelimit-reset')]).toEqual([429, '7'])
    stage.control.faults.onRequest({ route: info, delayMs: 5000 })
    const late = raw()
    await until(() => stage.clock.pending() > 0)
    await stage.clock.advance(5000)
    expect((await late).status).toBe(200)
    stage.control.faults.onRequest({ route: info, break: 'hang' })
    const stop = new AbortController()
    const hanging = raw(stop.signal)
    await until(() => stage.control.requests(info).at(-1)?.fault === 'hang')
    stop.abort(new Error('enough'))
    await expect(hanging).rejects.toThrow('enough')
  })

  it('hits one app only, so many times, and nothing after clear', async () => {
    const other = stage.control.createApp({ name: 'Other' })
    stage.control.faults.onRequest({ route: info, appId: other.appId, code: 1, status: 400, times: 2 })
    expect((await stage.call('GET', '/bot/v3/info')).code).toBe(0)
    expect((await stage.call('GET', '/bot/v3/info', undefined, other)).code).toBe(1)
    stage.control.faults.clear()
    expect((await stage.call('GET', '/bot/v3/info', undefined, other)).code).toBe(0)
  })

  it('counts a request for every fault that still lets some pass', async () => {
    stage.control.faults.onRequest({ route: info, after: 2, code: 7, status: 400 })
    stage.control.faults.onRequest({ route: info, after: 1, code: 8, status: 400 })
    const codes: number[] = []
    for (let n = 0; n < 4; n++) codes.push((await stage.call('GET', '/bot/v3/info')).code)
    expect(codes).toEqual([0, 8, 7, 0])
  })

  it('refuses the 51st connection of an app', async () => {
    const sockets: WebSocket[] = []
    for (let n = 0; n < 50; n++) sockets.push(new WebSocket((await endpoint()).data.URL ?? ''))
    await until(() => stage.control.connections(stage.app.appId) === 50)
    expect(await endpoint()).toEqual({ code: 1000040350, data: {} })
    stage.control.faults.closeSockets(stage.app.appId)
    await until(() => sockets.every((one) => one.readyState === WebSocket.CLOSED))
    expect((await endpoint()).code).toBe(0)
  })

  it('closes a socket that sends text or nonsense', async () => {
    const closedBy = async (message: string | Uint8Array<ArrayBuffer>): Promise<number> => {
      const socket = new WebSocket((await endpoint()).data.URL ?? '')
      return new Promise((resolve) => {
        socket.addEventListener('open', () => socket.send(message))
        socket.addEventListener('close', (event) => resolve(event.code))
      })
    }
    expect(await closedBy('ping')).toBe(1003)
    expect(await closedBy(new Uint8Array([8]))).toBe(1007)
  })

  it('emits any event with a header of its own', async () => {
    const heard: unknown[] = []
    await stage.connect({ 'im.message.message_read_v1': (data) => void heard.push(data) })
    const eventId = stage.control.faults.emit(stage.app.appId, 'im.message.message_read_v1', {
      reader: { read_time: '1' },
    })
    await stage.control.idle()
    expect(heard).toMatchObject([{ event_id: eventId, reader: { read_time: '1' }, app_id: stage.app.appId }])
  })

  it('limits calls of a minute too', async () => {
    stage.control.configure({ rateLimits: true, callsPerMinute: 3 })
    for (let n = 0; n < 3; n++) expect((await stage.call('GET', '/bot/v3/info')).code).toBe(0)
    await stage.clock.advance(2000)
    const refused = await stage.call('GET', '/bot/v3/info')
    expect([
      refused.status,
      refused.headers.get('x-ogw-ratelimit-limit'),
      refused.headers.get('x-ogw-ratelimit-reset'),
    ]).toEqual([429, '3', '58'])
  })

  it('keeps the port free after stop', async () => {
    const { url } = stage.sim
    await stage.sim.stop()
    await expect(fetch(url)).rejects.toThrow()
  })
})
