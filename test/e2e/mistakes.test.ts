import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { checkSandbox } from '../../src/cli/doctor/machine.ts'
import { configSchema } from '../../src/config/schema.ts'
import { createTranslate } from '../../src/locale/index.ts'
import { createSystemClock } from '../../src/system/clock.ts'
import { createCollectingLogger } from '../support/logger.ts'
import { type DoctorReport, runDoctor } from './support/doctor-process.ts'
import { type FeishuCompany, openFeishuCompany } from './support/feishu-company.ts'
import { openFeishuHouse } from './support/feishu-house.ts'
import { openStranger, type Stranger, startFailure, writeConfig } from './support/first-setup.ts'
import { type ServiceProcess, startService } from './support/service-process.ts'
import { openWecomCompany, type WecomCompany } from './support/wecom-company.ts'
import { openWecomHouse } from './support/wecom-house.ts'

vi.setConfig({ testTimeout: 120_000 })

/** Only root's commands need an account of their own, and so can lack one. */
const AS_ROOT = process.getuid?.() === 0

const said: string[] = []
const note = (mistake: string, where: 'start' | 'doctor' | 'chat', words: string): string => {
  said.push(`${mistake}\n  ${where}: ${words.trim().replaceAll('\n', '\n    ')}`)
  return words
}

let feishu: FeishuCompany
let wecom: WecomCompany
let stranger: Stranger
let service: ServiceProcess | undefined

beforeAll(async () => {
  feishu = await openFeishuCompany(createSystemClock())
  wecom = await openWecomCompany(createSystemClock())
  stranger = await openStranger()
})

afterEach(async () => {
  await service?.kill('SIGKILL')
  service = undefined
})

afterAll(async () => {
  process.stdout.write(`\n${said.join('\n\n')}\n\n`)
  stranger.close()
  await feishu.stop()
  await wecom.stop()
})

/** A line of the running service's log, as soon as it stands there. */
async function logged(pattern: RegExp): Promise<string> {
  return vi.waitFor(
    () => {
      const line = service
        ?.log()
        .split('\n')
        .find((one) => pattern.test(one))
      if (!line) throw new Error(`no line ${pattern} in:\n${service?.log()}`)
      return line
    },
    { timeout: 30_000, interval: 50 },
  )
}

const wrongModel = (): string =>
  `models: { default: main, profiles: { main: { protocol: openai, baseUrl: "http://127.0.0.1:${stranger.port}/v1", apiKey: sk-wrong-key-of-a-newcomer, model: m } } }`

describe('the start says', () => {
  it('a wrong secret at Feishu: which, and the page to copy it from; other bots go on', async () => {
    service = await startService(
      writeConfig(feishu, (yaml) => yaml.replace(feishu.bot.appSecret, 'not-the-secret-of-this-app')),
    )
    const words = note('wrong secret (Feishu)', 'start', await logged(/could not be started/))
    expect(words).toContain(`/app/${feishu.bot.appId}/baseinfo`)
    expect(words).not.toContain('not-the-secret')
    await vi.waitFor(() => expect(service?.output()).toMatch(/→/), { timeout: 30_000 })
    const told = note('wrong secret (Feishu)', 'start', service.output())
    expect(told).toMatch(/listens on \S+\n✗ \w+: not started\. .*→ .*App Secret.*\/baseinfo/)
    expect(told).not.toContain('not-the-secret')
  })

  it('a wrong secret at WeCom: which of the two secrets is meant, and where it stands', async () => {
    service = await startService(
      writeConfig(wecom, (yaml) => yaml.replace(/secret: [^,]+, wsUrl/, 'secret: not-the-secret, wsUrl')),
    )
    const words = note('wrong secret (WeCom)', 'start', await logged(/could not be started/))
    expect(words).toContain('aibot.secret')
    expect(words).toContain('https://work.weixin.qq.com/wework_admin/frame')
    expect(words).not.toContain('not-the-secret,')
  })

  it('a port that is taken: which, by whom to find out, and how to choose another', async () => {
    const config = writeConfig(feishu, (yaml) => yaml.replace('port: 0', `port: ${stranger.port}`))
    const words = note('port taken', 'start', await startFailure(config))
    expect(words).toContain(`port ${stranger.port} on 127.0.0.1 is in use by another program`)
    expect(words).toMatch(/→ set server\.port .*ss -ltnp/)
  })

  it('a model key that is not set: the variable, the line, and both ways to give it', async () => {
    const config = writeConfig(
      feishu,
      (yaml) => `${yaml}\n${wrongModel().replace('sk-wrong-key-of-a-newcomer', `"\${LLM_API_KEY}"`)}\n`,
    )
    const words = note('no model key', 'start', await startFailure(config))
    expect(words).toMatch(/yizhan\.yaml:\d+ .*\$\{LLM_API_KEY\}/)
    expect(words).toContain('LLM_API_KEY_FILE')
  })

  it('a wrong cron: the schedule, the field, and an example', async () => {
    const config = writeConfig(
      feishu,
      (yaml) =>
        `${yaml}\nschedules: [{ id: daily, cron: "0 25 * * *", prompt: x, to: { bot: ops, chat: oc_1 } }]\n`,
    )
    const words = note('wrong cron', 'start', await startFailure(config))
    expect(words).toMatch(/yizhan\.yaml:\d+ {2}schedules, item 1 \(daily\)/)
    expect(words).toMatch(/→ .*0 9 \* \* 1-5/)
  })

  it.runIf(AS_ROOT)('no sandbox: that commands are refused from now on', async () => {
    service = await startService(
      writeConfig(feishu, (yaml) => `${yaml}\nsandbox: { user: no-such-account }\n`),
    )
    const words = note('no sandbox', 'start', await logged(/no sandbox/))
    expect(words).toContain('no-such-account')
  })
})

describe('the chat says', () => {
  it.runIf(AS_ROOT)('no sandbox: that the command did not run, and why', async () => {
    const house = await openFeishuHouse({ yaml: 'sandbox: { user: no-such-account }' })
    await house.say('运行 uname -a')
    const answer = await house.until(() => house.finals()[0], 'the answer')
    note('no sandbox', 'chat', answer.text)
    expect(answer.text).toContain('No command can run here')
    expect(answer.text).toContain('useradd')
    await house.stop()
  })

  it('a wrong model key: that the administrator must look at it, and at which profile', async () => {
    const house = await openFeishuHouse({ yaml: wrongModel() })
    await house.say('你好')
    const answer = await house.until(() => house.finals()[0], 'the answer')
    note('wrong model key', 'chat', answer.text)
    expect(answer.text).toContain('models.profiles.main')
    expect(answer.text).not.toContain('sk-wrong')
    await house.stop()
  })

  it('an address that WeCom does not trust: the address, and where to add it', async () => {
    const house = await openWecomHouse()
    const app = house.control.corp.snapshot().apps[0]
    if (!app) throw new Error('the company has no app')
    house.control.corp.app({ ...app, trustedIps: ['192.0.2.1'] })
    await house.say('本周有哪些待审批的报销？')
    const answer = await house.until(() => house.finals()[0], 'the answer')
    note('wrong IP (WeCom)', 'chat', answer.text)
    expect(answer.text).toContain('127.0.0.1')
    expect(answer.text).toMatch(/trusted IPs.*wework_admin\/frame#apps/)
    await house.stop()
  })
})

describe('the doctor says all of it at once', () => {
  let report: DoctorReport

  beforeAll(async () => {
    const { control } = feishu.simulator
    const unpublished = control.createApp({ name: '未发布', published: false })
    const eventsOnly = control.createApp({ name: '只配了事件', callbackMode: 'none' })
    const app = wecom.simulator.control.corp.snapshot().apps[0]
    if (!app) throw new Error('the company has no app')
    wecom.simulator.control.corp.app({ ...app, trustedIps: ['192.0.2.1'] })
    const bot = (id: string, { appId, appSecret }: { appId: string; appSecret: string }): string =>
      `  - { id: ${id}, platform: feishu, appId: ${appId}, appSecret: "${appSecret}", domain: "${feishu.simulator.url}" }`
    const config = writeConfig(wecom, (yaml) =>
      [
        yaml
          .replace('port: 0', `port: ${stranger.port}`)
          .replace(
            'access:',
            `${[
              bot('wrong-secret', { ...feishu.bot, appSecret: 'not-the-secret-of-this-app' }),
              bot('unpublished', unpublished),
              bot('events-only', eventsOnly),
            ].join('\n')}\naccess:`,
          )
          .replace(/access: .*/, 'access: { admins: [] }'),
        wrongModel(),
        'sandbox: { user: no-such-account }',
        'schedules: [{ id: daily, cron: "0 25 * * *", prompt: x, to: { bot: ops, chat: wr1 } }, { id: weekly, cron: "0 9 * * 1", prompt: x, to: { bot: opss, chat: wr1 } }]',
      ].join('\n'),
    )
    report = await runDoctor(config)
  })

  type Said = readonly [mistake: string, check: string, says: readonly RegExp[]]
  const NO_SANDBOX: Said = ['no sandbox', 'sandbox', [/^✗.*no-such-account/, /→/]]
  const feishuPage = (page: string): RegExp => new RegExp(`http://\\S+/app/cli_\\w+/${page}`)

  it.each<Said>([
    ...(AS_ROOT ? [NO_SANDBOX] : []),
    [
      'wrong secret (Feishu)',
      'wrong-secret:feishu: App ID',
      [/^✗/, /→ .*App Secret/, feishuPage('baseinfo')],
    ],
    ['unpublished version', 'unpublished:feishu: App ID', [/^✗/, /→ .*publish/, feishuPage('version')]],
    [
      'event page but not callback page',
      'events-only:feishu: card callbacks',
      [/^✗.*200340/, /→ .*Callback configuration.*card\.action\.trigger/, feishuPage('event')],
    ],
    ['bot not in the group', 'events-only:feishu: groups', [/^\?.*in no group yet.*settings → bots/]],
    [
      'wrong IP (WeCom)',
      'ops:wecom.app.range',
      [/^✗.*127\.0\.0\.1/, /→ .*trusted IPs/, /https:\/\/work\.weixin\.qq\.com\/wework_admin\/frame#apps/],
    ],
    ['port taken', 'port', [/^✗.*in use by another program/, /→ .*server\.port.*ss -ltnp/]],
    ['wrong model key', 'model:main', [/^✗/, /→ .*(apiKey|key)/i]],
    ['wrong cron', 'schedule:daily', [/^✗/, /→ .*0 9 \* \* 1-5/]],
    ['schedule for a bot that does not exist', 'schedule:weekly', [/^✗.*opss/, /→ .*ops, wrong-secret/]],
    ['nobody may approve', 'admins', [/^✗/, /→ .*\/whoami.*access\.admins/]],
  ])('%s', (mistake, check, says) => {
    const words = note(mistake, 'doctor', report.finding(check))
    for (const pattern of says) expect(words).toMatch(pattern)
  })

  it('and ends with the list, a code of 1, and no secret', () => {
    expect(report.code).toBe(1)
    expect(report.words).toMatch(/\d+ of \d+ checks need attention/)
    for (const secret of ['not-the-secret-of-this-app', 'sk-wrong-key-of-a-newcomer'])
      expect(report.words).not.toContain(secret)
  })

  it('a configuration that cannot be read: every wrong line, and the machine all the same', async () => {
    const broken = await runDoctor(writeConfig(feishu, (yaml) => `${yaml}\nserverr: {}\nmodelss: {}\n`))
    const words = note('misspelt keys', 'doctor', broken.finding('configuration'))
    expect(words).toMatch(/unknown key "serverr".*\n.*server/)
    expect(words).toContain('unknown key "modelss"')
    expect(broken.finding('node')).toMatch(/^✓/)
    expect(broken.finding('sandbox')).not.toBe('')
  })

  it('bubblewrap not installed: how to install it', async () => {
    const found = await checkSandbox(
      configSchema.parse({}).sandbox,
      createCollectingLogger(),
      [],
      createTranslate('en'),
      '/nonexistent',
    )
    note('bubblewrap not installed', 'doctor', `${found.detail}\n→ ${found.fix}`)
    expect(found).toMatchObject({ ok: false, fix: expect.stringContaining('apt-get install -y bubblewrap') })
    expect(found.link).toContain('bubblewrap')
  })

  it('what only the running service knows: a refused connection, and silence', async () => {
    const free = createServer()
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve))
    const { port } = free.address() as AddressInfo
    await new Promise((resolve) => free.close(resolve))
    const config = writeConfig(wecom, (yaml) =>
      yaml
        .replace('port: 0', `port: ${port}`)
        .replace(/secret: [^,]+, wsUrl/, 'secret: not-the-secret, wsUrl'),
    )
    service = await startService(config)
    await logged(/could not be started/)
    const beside = await runDoctor(config)
    const words = note('wrong secret (WeCom)', 'doctor', beside.finding('running:bot:ops'))
    expect(words).toMatch(/^✗.*aibot\.secret/)
    const silent = note('nothing arrives', 'doctor', beside.finding('ops:heard'))
    expect(silent).toMatch(/^\?.*\/whoami.*published/)
  })
})
