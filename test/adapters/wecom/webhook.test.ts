import { createServer, type Server } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createWecomAdapter, type WecomAdapter } from '../../../adapters/wecom/adapter.ts'
import { aesKey, encryptMessage, sign } from '../../../adapters/wecom/crypto.ts'
import { appChat, directChat, type WecomSettings } from '../../../adapters/wecom/simulator/control.ts'
import type { RawRequest, Receipt } from '../../../src/protocol/adapter.ts'
import type { Card } from '../../../src/protocol/card.ts'
import type { InboundEvent, MessageEvent } from '../../../src/protocol/inbound.ts'
import { liveOf, passing, textOf, until } from './house.ts'
import { AES_KEY, APP, CORP_ID, type Fixture, GROUP, startCorp, TOKEN } from './simulator/fixture.ts'
import { options, testConfig, testDeps } from './twins.ts'

const URL_BOT = 'aibqUrl'
const card: Card = {
  title: '执行命令需要确认',
  tone: 'warning',
  blocks: [{ type: 'code', text: 'uname -a' }],
  buttons: [{ text: '允许', style: 'primary', value: { approval: 'a1', decision: 'allow' } }],
  summary: '等待审批',
  cardId: 'a1',
}
const decided: Card = { ...card, tag: '已允许 ✓', buttons: [] }

describe('callbacks', () => {
  let sim: Fixture
  let server: Server
  let adapter: WecomAdapter
  let events: InboundEvent[]
  let receipt: (event: InboundEvent) => Promise<Receipt>

  const serve = async (): Promise<string> => {
    server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://localhost')
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        const raw: RawRequest = {
          method: request.method ?? '',
          path: url.pathname.slice(1),
          query: url.searchParams,
          headers: request.headers,
          body: Buffer.concat(parts),
        }
        void adapter
          .webhook?.(raw)
          .then((answer) => response.writeHead(answer.status, answer.headers).end(answer.body))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  }
  const start = async (settings: Partial<WecomSettings> = {}): Promise<void> => {
    sim = await startCorp(settings)
    const url = await serve()
    sim.control.corp.bot({
      botId: URL_BOT,
      name: '报表 助手',
      callback: { url: `${url}/aibot`, token: TOKEN, aesKey: AES_KEY },
    })
    sim.control.corp.group({ chatId: GROUP, name: '运维群', members: ['zhangsan', 'LiSi'], bots: [URL_BOT] })
    const [app] = sim.control.corp.snapshot().apps
    if (!app) throw new Error('no app')
    sim.control.corp.app({
      ...app,
      callback: { url: `${url}/app`, token: TOKEN, aesKey: AES_KEY },
      approvalEvents: true,
    })
    adapter = make()
    await adapter.start(async (event) => {
      events.push(event)
      return receipt(event)
    })
  }
  const make = (): WecomAdapter =>
    createWecomAdapter(
      testConfig({
        name: '报表 助手',
        aibot: { token: TOKEN, encodingAesKey: AES_KEY, botId: URL_BOT },
        app: { corpId: CORP_ID, ...APP, token: TOKEN, encodingAesKey: AES_KEY, baseUrl: sim.url },
      }),
      testDeps(sim.clock),
    )
  const ask = async (text: string): Promise<MessageEvent> => {
    await sim.control.people.send({ chat: GROUP, from: 'zhangsan', at: { bot: URL_BOT }, type: 'text', text })
    await until(() => events.some((event) => event.type === 'message'))
    const event = events.findLast((one) => one.type === 'message')
    if (event?.type !== 'message') throw new Error('no message')
    return event
  }
  const said = (chat = GROUP) => sim.control.transcript(chat).filter((one) => one.sender.type !== 'member')

  beforeEach(() => {
    events = []
    receipt = async () => ({})
  })
  afterEach(async () => {
    await adapter.stop()
    await sim.stop()
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  })

  it('wecom 31, W14: both URL checks are answered with the bare echo', async () => {
    await start()

    expect(await sim.control.corp.verifyCallback({ bot: URL_BOT })).toBe(true)
    expect(await sim.control.corp.verifyCallback({ agentId: APP.agentId })).toBe(true)
  })

  it('wecom 33: JSON labelled text/xml is read; the answer streams by polling and ends', async () => {
    await start({ callbackContentType: 'text/xml' })
    const event = await ask('部署')

    expect(event).toMatchObject({ text: '部署', sender: { user: 'wecom:zhangsan' } })
    await until(() => said().length === 1)
    expect(said().map(textOf)).toEqual(['收到，正在处理… ▍'])
    const to = event.address
    const sent = await adapter.send(to, { ...liveOf('先'), replyTo: event.replyTo }, options('l1'))
    await passing(
      sim,
      until(() => textOf(said()[0] as never).includes('先')),
      1_000,
    )
    const final = adapter.update(
      sent,
      to,
      { ...liveOf('先看', { phase: 'done' }), replyTo: event.replyTo },
      options('l1'),
    )
    await adapter.update(await passing(sim, final), to, liveOf('先看', { phase: 'done' }), options('l1'))

    expect(said().map(textOf)).toEqual(['先看'])
  })

  it('wecom 36: after the window the answer goes by response_url, once', async () => {
    await start()
    const event = await ask('慢任务')
    await passing(sim, sim.clock.advance(400_000))
    const send = (text: string) =>
      passing(
        sim,
        adapter.send(
          event.address,
          { type: 'markdown', markdown: text, replyTo: event.replyTo },
          options(text),
        ),
      )

    await send('结果')

    expect(said().map(textOf).at(-1)).toBe('结果')
    await expect(send('再来一条')).rejects.toMatchObject({
      code: 'wecom.reply_window_closed',
      retryable: false,
    })
  })

  it('a poll for a stream of an earlier process is told to end, and the answer follows', async () => {
    await start()
    const event = await ask('hi')
    await until(() => said().length === 1)
    await adapter.stop()
    adapter = make()
    await adapter.start(async () => ({}))

    await passing(
      sim,
      until(() => !textOf(said()[0] as never).endsWith('▍')),
      1_000,
    )
    await adapter.send(
      event.address,
      { type: 'markdown', markdown: '答案', replyTo: event.replyTo },
      options('k'),
    )

    expect(said().map(textOf)).toEqual(['服务刚刚重启，结果见下一条消息。', '答案'])
  })

  it('wecom 32: an answer that comes late is delivered again with the same id, so that the core can drop it', async () => {
    await start()
    let release = (): void => undefined
    const stuck = new Promise<void>((resolve) => {
      release = resolve
    })
    receipt = async () => {
      await stuck
      return {}
    }
    await ask('hi')
    await passing(
      sim,
      until(() => events.length === 3),
      1_000,
    )
    release()

    expect(new Set(events.map((event) => (event.type === 'message' ? event.messageId : '')))).toHaveProperty(
      'size',
      1,
    )
  })

  it('wecom 14: a click by URL is answered with the changed card', async () => {
    await start()
    const event = await ask('uname')
    await passing(
      sim,
      adapter.send(event.address, { type: 'card', card, replyTo: event.replyTo }, options('c1')),
    )
    receipt = async () => ({ card: decided })

    const messageId = said().at(-1)?.id ?? ''
    const view = await passing(
      sim,
      sim.control.people.click({ messageId, from: 'LiSi', key: 'approval=a1&decision=allow' }),
    )

    expect(view).toMatchObject({ outcome: 'updated', card: { buttons: [{ text: '已允许 ✓' }] } })
  })

  it('C12: words that a card cannot show stand in the stream before it, or the card gives way to text', async () => {
    await start()
    const event = await ask('uname')
    const wordy: Card = {
      ...card,
      blocks: [...card.blocks, { type: 'text', text: '‼ 会删除文件'.repeat(20) }],
    }
    const message = { type: 'card' as const, card: wordy, replyTo: event.replyTo }

    await passing(sim, adapter.send(event.address, message, options('c1')))

    expect(said().map(textOf)).toEqual([expect.stringContaining('‼ 会删除文件'.repeat(20)), '[card]'])
    await expect(adapter.send(event.address, message, options('c2'))).rejects.toMatchObject({
      code: 'wecom.card_refused',
    })
  })

  it('the welcome of a URL bot is the answer to the callback', async () => {
    await start()
    const chat = directChat(URL_BOT, 'zhangsan')
    receipt = async (event) => {
      if (event.type === 'chat_entered') {
        await adapter.send(
          event.address,
          { type: 'text', text: '你好', replyTo: event.replyTo ?? '' },
          options('w'),
        )
      }
      return {}
    }

    await sim.control.people.openChat(chat)
    await until(() => said(chat).length === 1)

    expect(said(chat).map(textOf)).toEqual(['你好'])
  })

  it('files and pushes say what this transport lacks', async () => {
    await start()
    const event = await ask('hi')
    const file = { path: '/x', name: 'x', bytes: 10, sha256: '', kind: 'file' as const }

    await expect(
      adapter.send(event.address, { type: 'file', file, replyTo: event.replyTo }, options('f')),
    ).rejects.toMatchObject({ code: 'wecom.files_need_socket' })
    await expect(
      adapter.send(event.address, { type: 'markdown', markdown: 'x' }, options('p')),
    ).rejects.toMatchObject({
      code: 'wecom.reply_window_closed',
    })
  })

  it("wecom 36: an app card is repainted by the click's own one-time code, and an unclicked one by its first", async () => {
    await start()
    const to = { botId: 'oa', chatId: 'app:LiSi', chatType: 'direct' as const }
    const chat = appChat(APP.agentId, 'LiSi')
    const sent = await adapter.send(to, { type: 'card', card }, options('c1'))
    receipt = async () => ({ card: decided })

    const messageId = said(chat)[0]?.id ?? ''
    await passing(
      sim,
      sim.control.people.click({ messageId, from: 'LiSi', key: 'approval=a1&decision=allow' }),
    )
    await until(() => JSON.stringify(said(chat)[0]?.content).includes('已允许 ✓'))

    expect(events).toMatchObject([
      { type: 'action', operator: { user: 'wecom:lisi' }, value: { approval: 'a1' } },
    ])
    const again = await adapter.send(to, { type: 'card', card: { ...card, cardId: 'a2' } }, options('c2'))
    const spent = await adapter.update(
      again,
      to,
      { type: 'card', card: { ...decided, tag: '已过期' } },
      options('c2'),
    )
    expect(JSON.stringify(said(chat).at(-1)?.content)).toContain('已过期')
    await expect(
      adapter.update(spent, to, { type: 'card', card: decided }, options('c2')),
    ).rejects.toMatchObject({ code: 'wecom.frozen' })
    expect(sent.handle.kind).toBe('app')
  })

  it('changes of approval forms become events', async () => {
    await start()
    sim.control.approvals.template({ templateId: 'T1', name: '采购报销', controls: [] })
    const number = sim.control.approvals.file({
      templateId: 'T1',
      applicant: 'zhangsan',
      steps: [{ rule: 'any', approvers: ['LiSi'] }],
      contents: [],
    })
    sim.control.approvals.act(number, { type: 'approve', by: 'LiSi' })
    await passing(
      sim,
      until(() => events.length === 2),
      1_000,
    )

    expect(events).toMatchObject([
      { type: 'oa_approval', number, name: '采购报销', change: 'filed', applicant: 'wecom:zhangsan' },
      { type: 'oa_approval', number, change: 'agreed' },
    ])
    expect(new Set(events.map((event) => ('eventId' in event ? event.eventId : ''))).size).toBe(2)
  })

  describe('refusals', () => {
    const post = (
      path: string,
      message: string,
      change: { receiveId?: string; body?: (encrypt: string) => string } = {},
    ) => {
      const encrypt = encryptMessage(
        aesKey(AES_KEY),
        message,
        change.receiveId ?? (path === 'app' ? CORP_ID : ''),
        Buffer.alloc(16, 1),
      )
      const timestamp = String(Math.floor(sim.clock.now() / 1_000))
      const query = new URLSearchParams({
        msg_signature: sign(TOKEN, timestamp, 'n', encrypt),
        timestamp,
        nonce: 'n',
      })
      const wrap =
        path === 'app'
          ? (text: string) => `<xml><Encrypt><![CDATA[${text}]]></Encrypt></xml>`
          : (text: string) => JSON.stringify({ encrypt: text })
      return adapter.webhook?.({
        method: 'POST',
        path,
        query,
        headers: {},
        body: Buffer.from((change.body ?? wrap)(encrypt)),
      })
    }
    const good =
      '{"msgid":"M1","aibotid":"aibqUrl","chattype":"single","from":{"userid":"zhangsan"},"msgtype":"text","text":{"content":"x"}}'

    it('W2, W6, W9: bad signature, no encryption and bad ciphertext get the same empty 401 and no event', async () => {
      await start()
      const unsigned = await adapter.webhook?.({
        method: 'POST',
        path: 'aibot',
        query: new URLSearchParams({
          msg_signature: '0'.repeat(40),
          timestamp: String(sim.clock.now() / 1_000),
          nonce: 'n',
        }),
        headers: {},
        body: Buffer.from('{"encrypt":"QUJD"}'),
      })

      expect(unsigned).toEqual({ status: 401 })
      expect(await post('aibot', good, { body: () => good })).toEqual({ status: 401 })
      expect(
        await post('aibot', good, {
          body: (text) => JSON.stringify({ encrypt: `${text.slice(0, -8)}AAAAAAA=` }),
        }),
      ).toEqual({ status: 401 })
      expect(events).toEqual([])
    })

    it('W7: outer fields beside the encrypted text are ignored', async () => {
      await start()

      const answer = await post('aibot', good, {
        body: (encrypt) => JSON.stringify({ encrypt, from: { userid: 'boss' } }),
      })

      expect(answer?.status).toBe(200)
      expect(events).toMatchObject([{ sender: { user: 'wecom:zhangsan' } }])
    })

    it('W8: another receiver, bot or agent is 403', async () => {
      await start()
      const xml = (to: string, agent: string): string =>
        `<xml><ToUserName>${to}</ToUserName><FromUserName>a</FromUserName><CreateTime>1</CreateTime><MsgType>text</MsgType><Content>x</Content><MsgId>1</MsgId><AgentID>${agent}</AgentID></xml>`

      expect((await post('aibot', good, { receiveId: 'wwOther' }))?.status).toBe(403)
      expect((await post('aibot', good.replace('aibqUrl', 'other')))?.status).toBe(403)
      expect((await post('app', xml('wwOther', String(APP.agentId))))?.status).toBe(403)
      expect((await post('app', xml(CORP_ID, '999')))?.status).toBe(403)
      expect((await post('app', xml(CORP_ID, String(APP.agentId))))?.status).toBe(200)
      expect(events).toHaveLength(1)
    })

    it('W10, W11, W12: hostile JSON, XML and sizes', async () => {
      await start()

      expect(
        (await post('app', 'x', { body: () => '<!DOCTYPE x><xml><Encrypt>a</Encrypt></xml>' }))?.status,
      ).toBe(400)
      expect((await post('app', '<!DOCTYPE x [<!ENTITY a "b">]><xml/>'))?.status).toBe(400)
      expect((await post('aibot', 'not json'))?.status).toBe(400)
      expect((await post('aibot', 'x', { body: () => 'x'.repeat(256 * 1024 + 1) }))?.status).toBe(413)
      await post('aibot', good.replace('"msgid"', '"__proto__":{"polluted":1},"msgid"'))
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
      expect(
        (
          await adapter.webhook?.({
            method: 'POST',
            path: 'constructor',
            query: new URLSearchParams(),
            headers: {},
            body: Buffer.alloc(0),
          })
        )?.status,
      ).toBe(404)
    })

    it('W18: what the core cannot store is a 500, so that WeCom repeats it; unknown events are 200', async () => {
      await start()
      receipt = async () => {
        throw new Error('disk full')
      }

      expect((await post('aibot', good))?.status).toBe(500)
      const unknown = good.replace('"msgtype":"text"', '"msgtype":"event","event":{"eventtype":"hologram"}')
      expect((await post('aibot', unknown))?.status).toBe(200)
    })

    it('W1: a callback without its key does not start, and without callbacks there is no webhook', async () => {
      await start()
      const app = { corpId: CORP_ID, ...APP, baseUrl: sim.url }

      expect(() =>
        createWecomAdapter(testConfig({ app: { ...app, token: TOKEN } }), testDeps(sim.clock)),
      ).toThrow('must be given together')
      expect(createWecomAdapter(testConfig({ app }), testDeps(sim.clock)).webhook).toBeUndefined()
    })
  })
})
