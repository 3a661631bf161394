import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createWecomAdapter, type WecomAdapter } from '../../../adapters/wecom/adapter.ts'
import { aesKey, encryptMessage, sign } from '../../../adapters/wecom/crypto.ts'
import type { InboundEvent } from '../../../src/protocol/inbound.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'
import { AES_KEY, APP, CORP_ID, TOKEN } from './simulator/fixture.ts'
import { testConfig, testDeps } from './twins.ts'

const BOT = 'aibqUrl'
const SEED = 20_261_130

describe('W2, W9–W11: ten thousand callbacks of WeCom', () => {
  let adapter: WecomAdapter
  let events: InboundEvent[]
  let clock: ManualClock

  beforeEach(async () => {
    clock = createManualClock()
    events = []
    const keys = { token: TOKEN, encodingAesKey: AES_KEY }
    adapter = createWecomAdapter(
      testConfig({
        aibot: { ...keys, botId: BOT },
        // Nothing listens there: what an event makes the adapter ask fails at once.
        app: { corpId: CORP_ID, ...APP, ...keys, baseUrl: 'http://127.0.0.1:1' },
      }),
      testDeps(clock),
    )
    await adapter.start(async (event) => {
      events.push(event)
      return {}
    })
  })
  afterEach(() => adapter.stop())

  const post = async (path: string, body: string, signature: string): Promise<number> => {
    const timestamp = String(clock.now() / 1_000)
    const query = new URLSearchParams({ msg_signature: signature, timestamp, nonce: 'n' })
    const answer = await adapter.webhook?.({
      method: 'POST',
      path,
      query,
      headers: {},
      body: Buffer.from(body),
    })
    return answer?.status ?? 0
  }
  const sealed = async (path: 'aibot' | 'app', message: string): Promise<number> => {
    const receiver = path === 'app' ? CORP_ID : ''
    const encrypt = encryptMessage(aesKey(AES_KEY), message, receiver, Buffer.alloc(16, 1))
    const body =
      path === 'app' ? `<xml><Encrypt><![CDATA[${encrypt}]]></Encrypt></xml>` : JSON.stringify({ encrypt })
    return post(path, body, sign(TOKEN, String(clock.now() / 1_000), 'n', encrypt))
  }

  it('that nobody signed are refused, whatever they are', { timeout: 60_000 }, async () => {
    const path = fc.constantFrom('aibot', 'app')
    const body = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.base64String().map((inner) => JSON.stringify({ encrypt: inner })),
      fc.base64String().map((inner) => `<xml><Encrypt><![CDATA[${inner}]]></Encrypt></xml>`),
      fc.string().map((inner) => `<xml><Encrypt>${inner}</Encrypt><!ENTITY a "b"></xml>`),
    )
    await fc.assert(
      fc.asyncProperty(path, body, fc.string({ maxLength: 40 }), async (where, text, signature) => {
        expect([400, 401]).toContain(await post(where, text, signature))
        expect(events).toEqual([])
      }),
      { numRuns: 10_000, seed: SEED },
    )
  })

  it('that are signed make no event of another bot, and never break', {
    timeout: 60_000,
  }, async () => {
    const word = fc.oneof(fc.constantFrom('text', 'single', 'group', 'event', 'zhangsan', BOT), fc.string())
    const json = fc.record(
      {
        ...{
          msgid: word,
          aibotid: fc.constantFrom(BOT, 'other'),
          chatid: word,
          chattype: word,
          msgtype: word,
        },
        from: fc.oneof(fc.record({ userid: word }), fc.anything()),
        ...{
          text: fc.oneof(fc.record({ content: fc.string({ unit: 'binary' }) }), fc.anything()),
          event: fc.anything(),
        },
      },
      { requiredKeys: [] },
    )
    const message = fc.oneof(json, fc.anything()).map((value) => JSON.stringify(value) ?? 'undefined')
    await fc.assert(
      fc.asyncProperty(message, async (text) => {
        events.length = 0
        expect([200, 400, 403]).toContain(await sealed('aibot', text))
        if (events.length > 0) expect(JSON.parse(text)).not.toMatchObject({ aibotid: 'other' })
      }),
      { numRuns: 5_000, seed: SEED },
    )
  })

  it('of the app that are signed are the same, in XML', { timeout: 60_000 }, async () => {
    const name = fc.constantFrom(
      'ToUserName',
      'FromUserName',
      'MsgType',
      'AgentID',
      'Content',
      'MsgId',
      'Event',
      '__proto__',
    )
    const value = fc.oneof(fc.constantFrom(CORP_ID, String(APP.agentId), 'text', 'event', '1'), fc.string())
    const xml = fc
      .array(fc.tuple(name, value), { maxLength: 9 })
      .map(
        (parts) =>
          `<xml>${parts.map(([tag, text]) => `<${tag}><![CDATA[${text}]]></${tag}>`).join('')}</xml>`,
      )
    await fc.assert(
      fc.asyncProperty(fc.oneof(xml, fc.string({ unit: 'binary' })), async (text) => {
        events.length = 0
        expect([200, 400, 403]).toContain(await sealed('app', text))
        if (events.length > 0) expect(text).toContain(CORP_ID)
      }),
      { numRuns: 5_000, seed: SEED },
    )
  })
})
