import { describe, expect, it } from 'vitest'
import type { Api } from '../../../adapters/feishu/api/client.ts'
import { createApplicationReader } from '../../../adapters/feishu/doctor/application.ts'
import type { CheckDeps } from '../../../adapters/feishu/doctor/check.ts'
import { diagnose } from '../../../adapters/feishu/doctor/diagnose.ts'
import { callbacks } from '../../../adapters/feishu/doctor/wire.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import type { Diagnosis } from '../../../src/protocol/adapter.ts'
import { AppError } from '../../../src/protocol/errors.ts'
import { createStage, type StageOptions } from './stage.ts'

const silence = new AbortController().signal

async function failures(options: StageOptions): Promise<Diagnosis[]> {
  await using stage = await createStage(options)
  return (await stage.adapter.diagnose(silence)).filter((finding) => !finding.ok)
}

describe('diagnose', () => {
  it('finds nothing wrong with a complete app, and sends nothing', async () => {
    await using stage = await createStage()
    const findings = await stage.adapter.diagnose(silence)
    expect(findings.filter((finding) => !finding.ok)).toEqual([])
    expect(findings.map((finding) => finding.check)).toEqual([
      'feishu: App ID、App Secret、机器人能力',
      'feishu: 已发布版本',
      'feishu: 权限',
      'feishu: 事件订阅',
      'feishu: 长连接',
      'feishu: 流式卡片',
      'feishu: 群',
      'feishu: 卡片回调',
    ])
    expect(stage.control.requests('POST /open-apis/im/v1/messages')).toEqual([])
  })

  it('asks for the application once, although several checks read it', async () => {
    await using stage = await createStage()
    await stage.adapter.diagnose(silence)
    expect(stage.control.requests('GET /open-apis/application/v6/applications/:app_id')).toHaveLength(1)
  })

  it('names a wrong secret and stops there', async () => {
    await using stage = await createStage({ config: { appSecret: 'wrong-secret' } })
    const findings = await stage.adapter.diagnose(silence)
    expect(findings).toHaveLength(1)
    expect(findings[0]).toMatchObject({ ok: false, link: expect.stringMatching(/\/app\/cli_\w+\/baseinfo$/) })
    expect(JSON.stringify(findings)).not.toContain('wrong-secret')
  })

  it('without a network: no page of the console, which would mend nothing', async () => {
    const api: Api = {
      config: {
        ...{ id: 'ops', appId: 'cli_0123456789abcdef', appSecret: 's', domain: 'http://127.0.0.1:1' },
        ...{ transport: 'websocket', answerAll: false },
      },
      stream: () => Promise.reject(new Error('not asked')),
      json: () => Promise.reject(new AppError('feishu.unreachable', 'no answer', { retryable: true })),
    }
    const deps = { api, fetch, text: createTranslate('zh-CN'), transport: undefined }
    const findings = await diagnose(deps, silence)
    expect(findings).toMatchObject([{ ok: false, error: { code: 'feishu.unreachable' } }])
    expect(findings[0]).not.toHaveProperty('link')
  })

  it('names a missing bot ability', async () => {
    const [first] = await failures({ app: { bot: false } })
    expect(first).toMatchObject({ check: 'feishu: App ID、App Secret、机器人能力' })
    expect(first?.fix).toContain('bot ability')
  })

  it('names missing scopes', async () => {
    const found = await failures({
      app: { scopes: ['im:message', 'application:application:self_manage', 'im:chat:readonly'] },
    })
    const scopes = found.find((finding) => finding.check === 'feishu: 权限')
    expect(scopes?.detail).toContain('cardkit:card:write (流式输出回答)')
    expect(scopes?.link).toMatch(/\/auth$/)
    expect(found.map((finding) => finding.check)).toContain('feishu: 流式卡片')
  })

  it('names events that are not subscribed', async () => {
    const found = await failures({ app: { events: ['im.chat.member.bot.added_v1'] } })
    expect(found).toMatchObject([{ check: 'feishu: 事件订阅' }])
    expect(found[0]?.detail).toContain('im.message.receive_v1')
  })

  it('names an app that was never published', async () => {
    const found = await failures({ app: { published: false } })
    expect(found[0]?.fix).toContain('发布')
  })

  it('names what the endpoint answers', async () => {
    await using stage = await createStage()
    stage.control.faults.onEndpoint({ code: 1000040350, message: 'too many connections' })
    const found = (await stage.adapter.diagnose(silence)).filter((finding) => !finding.ok)
    expect(found).toMatchObject([{ check: 'feishu: 长连接' }])
    expect(found[0]?.detail).toContain('1000040350')
  })

  it('names callbacks that go elsewhere than this bot listens', async () => {
    const found = await failures({ app: { callbackMode: 'webhook' } })
    expect(found).toMatchObject([{ check: 'feishu: 卡片回调', link: expect.stringMatching(/\/event$/) }])
    expect(found[0]?.detail).toContain('webhook')
  })

  it('leaves callbacks to a person where Feishu tells nothing of them', async () => {
    const api = { config: { appId: 'cli_1', domain: 'feishu' }, json: async () => ({ data: { app: {} } }) }
    const application = createApplicationReader(api as unknown as Api)
    const finding = await callbacks.run(
      { api, application, text: createTranslate('zh-CN') } as unknown as CheckDeps,
      silence,
    )
    expect(finding).toMatchObject({ ok: true, unseen: true, detail: expect.stringContaining('200340') })
  })
})
