import { describe, expect, it } from 'vitest'
import { type Api, anyAnswer, createApi } from '../../../../adapters/feishu/api/client.ts'
import { getBot } from '../../../../adapters/feishu/api/directory.ts'
import type { FeishuConfig } from '../../../../adapters/feishu/config.ts'
import { createManualClock } from '../../../support/clock.ts'
import { createSeededRandom } from '../../../support/random.ts'
import { connectedStage, createImmediateScheduler, groupAddress, sendOptions } from '../stage.ts'

const config: FeishuConfig = {
  id: 'ops',
  appId: 'cli_0123456789abcdef',
  appSecret: 'the-secret',
  domain: 'http://127.0.0.1:1',
  transport: 'websocket',
  answerAll: false,
}

/** An API whose network is a function. */
function offline(answer: (url: string, init?: RequestInit) => Response | Promise<Response>): {
  api: Api
  holds: { bucket: string; ms: number }[]
} {
  const { scheduler, holds } = createImmediateScheduler()
  const clock = createManualClock()
  const api = createApi(config, {
    clock,
    random: createSeededRandom(),
    scheduler,
    fetch: async (url, init) => answer(String(url), init),
  })
  return { api, holds }
}

const json = (body: object, init: ResponseInit = {}): Response =>
  new Response(JSON.stringify(body), {
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
  })

const token = json({ code: 0, tenant_access_token: 't-1', expire: 7200 })
const isToken = (url: string): boolean => url.includes('tenant_access_token')

describe('tokens', () => {
  it('feishu 2: twenty concurrent cold calls ask for one token', async () => {
    await using stage = await connectedStage()
    stage.control.revokeTokens(stage.app.appId)
    stage.control.clearJournal()
    const to = groupAddress(stage)
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        stage.adapter.send(to, { type: 'text', text: `第 ${n} 条` }, sendOptions()),
      ),
    )
    expect(stage.control.requests('POST /open-apis/auth/v3/tenant_access_token/internal')).toHaveLength(1)
    expect(stage.control.transcript(stage.group).filter((m) => m.sender.kind === 'bot')).toHaveLength(20)
  })

  it('R21, feishu 3: a revoked token is replaced once and the call succeeds', async () => {
    await using stage = await connectedStage()
    stage.control.revokeTokens(stage.app.appId)
    await stage.adapter.send(groupAddress(stage), { type: 'text', text: '好' }, sendOptions())
    const codes = stage.control.requests().map((request) => request.code)
    expect(codes).toEqual([99991663, 0, 0])
  })

  it('R21, feishu 3: a token that is always refused is tried twice, then reported', async () => {
    await using stage = await connectedStage()
    stage.control.refuseTokens(stage.app.appId, true)
    const sending = stage.adapter.send(groupAddress(stage), { type: 'text', text: '好' }, sendOptions())
    await expect(sending).rejects.toMatchObject({ code: 'feishu.token_invalid', retryable: false })
    const creates = stage.control.requests('POST /open-apis/im/v1/messages')
    expect(creates.map((request) => request.code)).toEqual([99991663, 99991663])
  })
})

describe('a caller who stops waiting', () => {
  /** An exchange that ends when it is answered or cut short, like one on a socket. */
  const onTheWire = (method: 'PATCH' | 'GET') => {
    const arrived = Promise.withResolvers<void>()
    const { api } = offline((url, init) => {
      if (isToken(url)) return token.clone()
      arrived.resolve()
      const { promise, resolve, reject } = Promise.withResolvers<Response>()
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
      void answered.promise.then(() => resolve(json({ code: 0 })))
      return promise
    })
    const answered = Promise.withResolvers<void>()
    const aborter = new AbortController()
    const call = { api: 'im.message', method, path: '/open-apis/im/v1/messages/om_1', signal: aborter.signal }
    return { call: api.json(call, anyAnswer), arrived: arrived.promise, answer: answered.resolve, aborter }
  }

  it('learns how a change ended that is on its way, which could else arrive after the next one', async () => {
    const { call, arrived, answer, aborter } = onTheWire('PATCH')
    await arrived
    aborter.abort(new Error('the run has ended'))
    answer()
    await expect(call).resolves.toMatchObject({ code: 0 })
  })

  it('waits no longer for what only reads', async () => {
    const { call, arrived, aborter } = onTheWire('GET')
    await arrived
    aborter.abort(new Error('nobody wants it any more'))
    await expect(call).rejects.toThrow('nobody wants it any more')
  })
})

describe('files', () => {
  it.each([
    [
      'a JSON file with a name',
      { 'content-type': 'application/json', 'content-disposition': 'attachment' },
      '{"code":5}',
    ],
    ['JSON that is no envelope', { 'content-type': 'application/json' }, '[1,2]'],
    ['anything else', { 'content-type': 'application/octet-stream' }, 'bytes'],
  ])('%s is handed out unchanged', async (_, headers, body) => {
    const { api } = offline((url) => (isToken(url) ? token.clone() : new Response(body, { headers })))
    const response = await api.stream({ api: 'im.resource.get', method: 'GET', path: '/x' })
    expect(await response.text()).toBe(body)
  })
})

describe('reading', () => {
  it('is tried once more after a network failure', async () => {
    let tries = 0
    const { api } = offline((url) => {
      if (isToken(url)) return token.clone()
      tries += 1
      if (tries === 1) throw new TypeError('fetch failed')
      return json({ code: 0, bot: { open_id: 'ou_bot' } })
    })
    await expect(getBot(api)).resolves.toMatchObject({ openId: 'ou_bot' })
    expect(tries).toBe(2)
  })
})

describe('refusals', () => {
  it.each([200, 400] as const)('are found with HTTP %i alike', async (businessErrorStatus) => {
    await using stage = await connectedStage({ settings: { businessErrorStatus } })
    stage.control.removeBot(stage.group, stage.app.appId)
    const sending = stage.adapter.send(groupAddress(stage), { type: 'text', text: '好' }, sendOptions())
    await expect(sending).rejects.toMatchObject({ code: 'feishu.bot_not_in_chat', retryable: false })
  })

  it('feishu 24: a 429 holds the bucket of that API for as long as Feishu says', async () => {
    const { api, holds } = offline((url) =>
      isToken(url)
        ? token.clone()
        : json({ code: 99991400, msg: 'limit' }, { status: 429, headers: { 'x-ogw-ratelimit-reset': '7' } }),
    )
    await expect(getBot(api)).rejects.toMatchObject({
      code: 'feishu.rate_limited',
      retryable: true,
      retryAfterMs: 7_000,
    })
    expect(holds).toEqual([{ bucket: 'feishu/cli_0123456789abcdef/bot.info', ms: 7_000 }])
  })

  it('an error page of a proxy is retryable and names the status', async () => {
    const { api } = offline((url) => (isToken(url) ? token.clone() : new Response('<html>', { status: 502 })))
    await expect(getBot(api)).rejects.toMatchObject({ code: 'feishu.unreachable', retryable: true })
  })

  it('a wrong secret is reported without the secret', async () => {
    const { api } = offline(() => json({ code: 10014, msg: 'app secret invalid' }))
    const error: unknown = await getBot(api).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'feishu.bad_secret', retryable: false })
    expect(error).toMatchObject({ hint: expect.stringContaining('/app/cli_0123456789abcdef/baseinfo') })
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('the-secret')
  })

  it('a network failure is retryable and holds no request', async () => {
    const { api } = offline(() => Promise.reject(new TypeError('fetch failed')))
    const error: unknown = await getBot(api).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'feishu.unreachable', retryable: true })
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('the-secret')
  })

  it('HTML with HTTP 200 in the place of an answer is an error', async () => {
    const { api } = offline((url) => (isToken(url) ? token.clone() : new Response('<html>log in</html>')))
    await expect(getBot(api)).rejects.toMatchObject({ code: 'feishu.unreachable', retryable: true })
  })

  it('an unknown shape is an error, not undefined somewhere else', async () => {
    const { api } = offline((url) => (isToken(url) ? token.clone() : json({ code: 0, data: {} })))
    await expect(getBot(api)).rejects.toMatchObject({ code: 'feishu.unexpected_answer' })
  })
})
