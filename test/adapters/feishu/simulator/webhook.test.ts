import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { adaptDefault, adaptExpress, EventDispatcher, LoggerLevel } from '@larksuiteoapi/node-sdk'
import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { encryptBody, signBody } from '../../../../adapters/feishu/simulator/cipher.ts'
import { type Handlers, openStage, type Stage, silent } from './stage.ts'

const encryptKey = 'test key'

describe('webhook through the real SDK', () => {
  let stage: Stage
  const servers: Server[] = []
  afterEach(async () => {
    await stage.close()
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      server.close()
    }
  })

  const listen = async (
    handler: (request: IncomingMessage, response: ServerResponse) => unknown,
  ): Promise<string> => {
    const server = createServer((request, response) => void handler(request, response))
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    return typeof address === 'object' && address ? `http://127.0.0.1:${address.port}/event` : ''
  }
  const dispatcher = (key: string, handler: (data: never) => unknown): EventDispatcher => {
    const handlers: Handlers = { 'im.message.receive_v1': handler, 'card.action.trigger': handler }
    return new EventDispatcher({ encryptKey: key, logger: silent, loggerLevel: LoggerLevel.fatal }).register(
      handlers,
    )
  }
  const openWebhook = async (key: string, handler: (data: never) => unknown): Promise<void> => {
    stage = await openStage({ app: { eventMode: 'webhook', encryptKey: key } })
    const app = express().use(express.json())
    app.use('/event', adaptExpress(dispatcher(key, handler), { autoChallenge: true }))
    stage.control.updateApp(stage.app.appId, { webhookUrl: await listen(app) })
  }
  const tries = (): unknown[] =>
    stage.control.deliveries('im.message.receive_v1').map((one) => [one.outcome, one.status])

  it('feishu 15: the challenge is answered, plain and encrypted', async () => {
    for (const key of ['', encryptKey]) {
      await openWebhook(key, () => undefined)
      expect(await stage.control.verifyWebhook(stage.app.appId)).toEqual({ ok: true, reason: '' })
      await stage.close()
    }
  })

  it('feishu 15: a challenge without an answer fails after one second', async () => {
    stage = await openStage({ app: { eventMode: 'webhook' } })
    let arrived: () => void = () => undefined
    const asked = new Promise<void>((resolve) => {
      arrived = resolve
    })
    stage.control.updateApp(stage.app.appId, { webhookUrl: await listen(() => arrived()) })
    const verdict = stage.control.verifyWebhook(stage.app.appId)
    await asked
    await stage.clock.advance(1000)
    expect(await verdict).toEqual({ ok: false, reason: 'timeout' })
  })

  it('feishu 14: a signed and encrypted event reaches the handler', async () => {
    const heard: unknown[] = []
    await openWebhook(encryptKey, (data) => void heard.push(data))
    stage.control.say(stage.group, stage.ann, '@[Agent] 你好')
    await stage.control.idle()
    expect(tries()).toEqual([['ok', 200]])
    expect(heard).toMatchObject([
      { app_id: stage.app.appId, message: { content: '{"text":"@_user_1 你好"}' } },
    ])
  })

  it('feishu 14: a wrong signature does not reach the handler', async () => {
    let runs = 0
    await openWebhook(encryptKey, () => void runs++)
    const body = JSON.stringify({
      encrypt: encryptBody(
        encryptKey,
        '{"schema":"2.0","header":{"event_type":"im.message.receive_v1"},"event":{}}',
        Buffer.alloc(16),
      ),
    })
    const post = async (key: string): Promise<void> => {
      const url = stage.control.apps()[0] && servers[0]?.address()
      const port = typeof url === 'object' && url ? url.port : 0
      await fetch(`http://127.0.0.1:${port}/event`, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          'x-lark-request-timestamp': '1',
          'x-lark-request-nonce': 'n',
          'x-lark-signature': signBody('1', 'n', key, body),
        },
      })
    }
    await post('wrong key')
    expect(runs).toBe(0)
    await post(encryptKey)
    expect(runs).toBe(1)
  })

  it('feishu 13: a handler that never answers times out after 3 s and the event comes again', async () => {
    stage = await openStage({ app: { eventMode: 'webhook' } })
    const silent: (() => void)[] = []
    let asked = 0
    const url = await listen((request, response) => {
      asked++
      request.resume()
      if (asked > 1) response.end('{}')
      for (const go of silent.splice(0)) go()
    })
    const arrived = new Promise<void>((resolve) => silent.push(resolve))
    stage.control.updateApp(stage.app.appId, { webhookUrl: url })
    stage.control.say(stage.group, stage.ann, '@[Agent] slow')
    await arrived
    await stage.clock.advance(3000)
    await stage.control.idle()
    await stage.clock.advance(15_000)
    await stage.control.idle()
    expect(tries()).toEqual([
      ['timeout', undefined],
      ['ok', 200],
    ])
  })

  it('counts other statuses, redirects included, and refused connections as failures', async () => {
    stage = await openStage({ app: { eventMode: 'webhook' } })
    stage.control.updateApp(stage.app.appId, {
      webhookUrl: await listen((_, response) => response.writeHead(302, { location: '/' }).end()),
    })
    stage.control.say(stage.group, stage.ann, '@[Agent] moved')
    await stage.control.idle()
    stage.control.updateApp(stage.app.appId, { webhookUrl: 'http://127.0.0.1:1/' })
    await stage.clock.advance(15_000)
    await stage.control.idle()
    expect(tries()).toEqual([
      ['failed', 302],
      ['no_connection', undefined],
    ])
  })

  it('sends compact JSON that adaptDefault accepts, and nothing while unpublished or unsubscribed', async () => {
    let runs = 0
    stage = await openStage({ app: { eventMode: 'webhook', encryptKey } })
    stage.control.updateApp(stage.app.appId, {
      webhookUrl: await listen(
        adaptDefault(
          '/event',
          dispatcher(encryptKey, () => void runs++),
        ),
      ),
    })
    stage.control.say(stage.group, stage.ann, '@[Agent] one')
    await stage.control.idle()
    stage.control.updateApp(stage.app.appId, { published: false })
    stage.control.say(stage.group, stage.ann, '@[Agent] two')
    stage.control.updateApp(stage.app.appId, { published: true, events: ['im.message.recalled_v1'] })
    stage.control.say(stage.group, stage.ann, '@[Agent] three')
    await stage.control.idle()
    expect([runs, tries()]).toEqual([1, [['ok', 200]]])
  })
})

describe('encryption', () => {
  it('feishu 15: the documented vector comes back to its plain text', () => {
    const known = Buffer.from('P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk=', 'base64')
    expect(encryptBody(encryptKey, 'hello world', known.subarray(0, 16))).toBe(known.toString('base64'))
  })
})
