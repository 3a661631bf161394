import { afterEach, describe, expect, it } from 'vitest'
import { codeOf, openStage, type Stage, tokenOf } from './stage.ts'

const tokenRoute = '/open-apis/auth/v3/tenant_access_token/internal'

describe('tenant access tokens', () => {
  let stage: Stage
  afterEach(() => stage.close())

  const info = (): Promise<unknown> => client().request({ method: 'GET', url: '/open-apis/bot/v3/info' })
  let client = (): ReturnType<Stage['client']> => stage.client()
  const raw = async (authorization?: string): Promise<[number, unknown]> => {
    const response = await fetch(
      `${stage.sim.url}/open-apis/bot/v3/info`,
      authorization ? { headers: { authorization } } : {},
    )
    const body: unknown = await response.json()
    return [
      response.status,
      typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined,
    ]
  }

  it('feishu 1: ten sequential calls need one token', async () => {
    stage = await openStage()
    const one = stage.client()
    client = () => one
    for (let n = 0; n < 10; n++) await info()
    expect(stage.control.requests(tokenRoute)).toHaveLength(1)
  })

  it('feishu 1: a token of 170 s is asked for before every call', async () => {
    stage = await openStage({ settings: { tokenSeconds: 170 } })
    const one = stage.client()
    client = () => one
    for (let n = 0; n < 3; n++) await info()
    expect(stage.control.requests(tokenRoute)).toHaveLength(3)
  })

  it('gives the same token while 30 minutes are left, then a second one beside it', async () => {
    stage = await openStage()
    const first = await tokenOf(stage.sim.url, stage.app)
    await stage.clock.advance(90 * 60_000)
    expect(await tokenOf(stage.sim.url, stage.app)).toBe(first)
    await stage.clock.advance(60_000)
    const second = await tokenOf(stage.sim.url, stage.app)
    expect(second).not.toBe(first)
    expect(await raw(`Bearer ${first}`)).toEqual([200, 0])
    await stage.clock.advance(29 * 60_000)
    expect(await raw(`Bearer ${first}`)).toEqual([400, 99991663])
    expect(await raw(`Bearer ${second}`)).toEqual([200, 0])
  })

  it('refuses missing, malformed, unknown, revoked and user tokens by their own codes', async () => {
    stage = await openStage()
    const token = await tokenOf(stage.sim.url, stage.app)
    expect(await raw()).toEqual([400, 99991661])
    expect(await raw('Bearer x')).toEqual([400, 99991671])
    expect(await raw('Bearer u-1')).toEqual([400, 99991668])
    expect(await raw('Bearer t-unknown')).toEqual([400, 99991663])
    stage.control.revokeTokens(stage.app.appId)
    expect(await raw(`Bearer ${token}`)).toEqual([400, 99991663])
    stage.control.refuseTokens(stage.app.appId, true)
    expect(await codeOf(stage.client().request({ method: 'GET', url: '/open-apis/bot/v3/info' }))).toBe(
      99991663,
    )
    stage.control.refuseTokens(stage.app.appId, false)
    expect(await raw(`Bearer ${await tokenOf(stage.sim.url, stage.app)}`)).toEqual([200, 0])
  })

  it('answers a wrong app id with 10003 and a wrong secret with 10014, by status as configured', async () => {
    stage = await openStage()
    const ask = async (app_id: string, app_secret: string): Promise<[number, unknown]> => {
      const response = await fetch(stage.sim.url + tokenRoute, {
        method: 'POST',
        body: JSON.stringify({ app_id, app_secret }),
      })
      const body: unknown = await response.json()
      return [
        response.status,
        typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined,
      ]
    }
    expect(await ask('cli_0000000000000000', 'x')).toEqual([200, 10003])
    expect(await ask(stage.app.appId, 'x')).toEqual([200, 10014])
    stage.control.configure({ tokenErrorStatus: 400 })
    expect(await ask(stage.app.appId, 'x')).toEqual([400, 10014])
    expect(JSON.stringify(stage.control.journal())).not.toContain(stage.app.appSecret)
  })

  it('names the scopes that are missing, and wants a published version for any', async () => {
    stage = await openStage({ app: { scopes: [] } })
    const refused = await stage.send(stage.group, 'text', { text: 'hi' })
    expect([refused.status, refused.code]).toEqual([400, 99991672])
    expect(refused.msg).toContain('im:message:send_as_bot')
    stage.control.updateApp(stage.app.appId, { scopes: ['im:message'], published: false })
    expect((await stage.send(stage.group, 'text', { text: 'hi' })).code).toBe(99991672)
    stage.control.updateApp(stage.app.appId, { published: true })
    expect((await stage.send(stage.group, 'text', { text: 'hi' })).code).toBe(0)
  })

  it('refuses addresses outside the allow list and calls above the gateway rate', async () => {
    stage = await openStage()
    stage.control.updateApp(stage.app.appId, { ipAllowList: ['10.0.0.1'] })
    expect(await raw(`Bearer ${await tokenOf(stage.sim.url, stage.app)}`)).toEqual([400, 99991401])
    stage.control.updateApp(stage.app.appId, { ipAllowList: [] })
    for (let n = 0; n < 50; n++) expect((await stage.call('GET', '/bot/v3/info')).code).toBe(0)
    const refused = await stage.call('GET', '/bot/v3/info')
    expect([refused.status, refused.code]).toEqual([429, 99991400])
    expect([
      refused.headers.get('x-ogw-ratelimit-limit'),
      refused.headers.get('x-ogw-ratelimit-reset'),
    ]).toEqual(['50', '1'])
    await stage.clock.advance(1001)
    expect((await stage.call('GET', '/bot/v3/info')).code).toBe(0)
  })
})
