import { describe, expect, it } from 'vitest'
import { createWecomAdapter } from '../../../adapters/wecom/adapter.ts'
import { aesKey, encryptMessage, sign } from '../../../adapters/wecom/crypto.ts'
import { AES_KEY, APP, CORP_ID, TOKEN } from './simulator/fixture.ts'
import { testConfig, testDeps } from './twins.ts'
import { URL_BOT, type UrlHouse, urlHouses } from './url-house.ts'

const start = urlHouses()

describe('callbacks', () => {
  it('wecom 31, W14: both URL checks are answered with the bare echo', async () => {
    const { sim } = await start()

    expect(await sim.control.corp.verifyCallback({ bot: URL_BOT })).toBe(true)
    expect(await sim.control.corp.verifyCallback({ agentId: APP.agentId })).toBe(true)
  })

  describe('refusals', () => {
    const post = (
      { sim, adapter }: UrlHouse,
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

    it('W16: a callback with the previous secrets is taken, and answered with them', async () => {
      const house = await start()
      const { sim } = house
      const previous = { token: TOKEN, encodingAesKey: AES_KEY, until: sim.clock.now() + 60_000 }
      const next = { token: 'nextToken', encodingAesKey: `${AES_KEY.slice(1)}A` }
      await house.adapter.stop()
      house.adapter = createWecomAdapter(
        testConfig({ aibot: { ...next, previous, botId: URL_BOT } }),
        testDeps(sim.clock),
      )
      await house.adapter.start(async (event) => {
        house.events.push(event)
        return {}
      })
      const answer = await post(house, 'aibot', good)
      expect([answer?.status, house.events.length]).toEqual([200, 1])
      const { encrypt, msgsignature, timestamp, nonce } = JSON.parse(String(answer?.body))
      expect(sign(TOKEN, String(timestamp), nonce, encrypt)).toBe(msgsignature)
      await sim.clock.advance(60_000)
      expect((await post(house, 'aibot', good))?.status).toBe(401)
    })

    it('W2, W6, W9: bad signature, no encryption and bad ciphertext get the same empty 401 and no event', async () => {
      const house = await start()
      const { sim, adapter, events } = house
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
      expect(await post(house, 'aibot', good, { body: () => good })).toEqual({ status: 401 })
      expect(
        await post(house, 'aibot', good, {
          body: (text) => JSON.stringify({ encrypt: `${text.slice(0, -8)}AAAAAAA=` }),
        }),
      ).toEqual({ status: 401 })
      expect(events).toEqual([])
    })

    it('W7: outer fields beside the encrypted text are ignored', async () => {
      const house = await start()
      const { events } = house

      const answer = await post(house, 'aibot', good, {
        body: (encrypt) => JSON.stringify({ encrypt, from: { userid: 'boss' } }),
      })

      expect(answer?.status).toBe(200)
      expect(events).toMatchObject([{ sender: { user: 'wecom:zhangsan' } }])
    })

    it('W8: another receiver, bot or agent is 403', async () => {
      const house = await start()
      const { events } = house
      const xml = (to: string, agent: string): string =>
        `<xml><ToUserName>${to}</ToUserName><FromUserName>a</FromUserName><CreateTime>1</CreateTime><MsgType>text</MsgType><Content>x</Content><MsgId>1</MsgId><AgentID>${agent}</AgentID></xml>`

      expect((await post(house, 'aibot', good, { receiveId: 'wwOther' }))?.status).toBe(403)
      expect((await post(house, 'aibot', good.replace('aibqUrl', 'other')))?.status).toBe(403)
      expect((await post(house, 'app', xml('wwOther', String(APP.agentId))))?.status).toBe(403)
      expect((await post(house, 'app', xml(CORP_ID, '999')))?.status).toBe(403)
      expect((await post(house, 'app', xml(CORP_ID, String(APP.agentId))))?.status).toBe(200)
      expect(events).toHaveLength(1)
    })

    it('W10, W11, W12: hostile JSON, XML and sizes', async () => {
      const house = await start()
      const { adapter } = house

      expect(
        (await post(house, 'app', 'x', { body: () => '<!DOCTYPE x><xml><Encrypt>a</Encrypt></xml>' }))
          ?.status,
      ).toBe(400)
      expect((await post(house, 'app', '<!DOCTYPE x [<!ENTITY a "b">]><xml/>'))?.status).toBe(400)
      expect((await post(house, 'aibot', 'not json'))?.status).toBe(400)
      expect((await post(house, 'aibot', 'x', { body: () => 'x'.repeat(256 * 1024 + 1) }))?.status).toBe(413)
      await post(house, 'aibot', good.replace('"msgid"', '"__proto__":{"polluted":1},"msgid"'))
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
      const house = await start()
      house.receipt = async () => {
        throw new Error('disk full')
      }

      expect((await post(house, 'aibot', good))?.status).toBe(500)
      const unknown = good.replace('"msgtype":"text"', '"msgtype":"event","event":{"eventtype":"hologram"}')
      expect((await post(house, 'aibot', unknown))?.status).toBe(200)
    })

    it('W1: a callback without its key does not start, and without callbacks there is no webhook', async () => {
      const { sim } = await start()
      const app = { corpId: CORP_ID, ...APP, baseUrl: sim.url }

      expect(() =>
        createWecomAdapter(testConfig({ app: { ...app, token: TOKEN } }), testDeps(sim.clock)),
      ).toThrow('must be given together')
      expect(createWecomAdapter(testConfig({ app }), testDeps(sim.clock)).webhook).toBeUndefined()
    })
  })
})
