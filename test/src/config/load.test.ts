import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig, parseConfig } from '../../../src/config/load.ts'
import { ConfigError } from '../../../src/config/problem.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import type { Locale } from '../../../src/protocol/ports.ts'

const parse = (text: string, env: Record<string, string> = {}) =>
  parseConfig(text, { file: 'yizhan.yaml', env })

function refusal(text: string, env: Record<string, string> = {}, locale: Locale = 'en'): string {
  try {
    parse(text, env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const text = createTranslate(locale)
    return text('error.config.invalid', error.in(text))
  }
  throw new Error('the configuration was accepted')
}

describe('configuration', () => {
  it('is complete without a file: playground defaults', () => {
    const { config, file } = loadConfig({ env: {}, cwd: mkdtempSync(join(tmpdir(), 'yizhan-')) })
    expect(file).toBeUndefined()
    expect(config.models).toEqual({ default: 'demo', profiles: { demo: { protocol: 'demo' } } })
    expect(config.approval.expires).toBe(30 * 60_000)
    expect(config.sandbox.kind).toBe('bubblewrap')
  })

  it('parses deploy/yizhan.example.yaml, which shows every top-level key', () => {
    const text = readFileSync('deploy/yizhan.example.yaml', 'utf8')
    const names = [...text.matchAll(/\$\{(\w+)\}/g)].map((match) => match[1] ?? '')
    const { config } = parse(text, Object.fromEntries(names.map((name) => [name, `value-of-${name}`])))
    expect(config.bots.map((bot) => bot.platform)).toEqual(['feishu', 'wecom'])
    for (const key of Object.keys(config)) expect(text).toMatch(new RegExp(`^${key}:`, 'm'))
  })

  it('takes ${NAME} from the environment and from the file that NAME_FILE names', () => {
    const secretFile = join(mkdtempSync(join(tmpdir(), 'yizhan-')), 'key')
    writeFileSync(secretFile, 'from-file\n')
    const text =
      'models:\n  default: m\n  profiles:\n    m: { protocol: openai, baseUrl: "http://x/v1", apiKey: "${KEY}", model: y }\n'
    expect(parse(text, { KEY: 'direct' }).config.models.profiles['m']).toMatchObject({ apiKey: 'direct' })
    const loaded = parse(text, { KEY_FILE: secretFile })
    expect(loaded.config.models.profiles['m']).toMatchObject({ apiKey: 'from-file' })
    expect(loaded.secrets).toEqual(['from-file'])
  })

  it('takes an empty ${NAME} for one that is not set, as .env and Compose pass it on', () => {
    const secretFile = join(mkdtempSync(join(tmpdir(), 'yizhan-')), 'key')
    writeFileSync(secretFile, '\n')
    const text = 'dataDir: ${WHERE}\n'
    for (const env of [{ WHERE: '' }, { WHERE: '', WHERE_FILE: '' }, { WHERE_FILE: secretFile }])
      expect(refusal(text, env)).toContain('${WHERE} at dataDir is not set')
    writeFileSync(secretFile, './d\n')
    expect(parse(text, { WHERE: '', WHERE_FILE: secretFile }).config.dataDir).toBe('./d')
  })

  it('names a missing variable, its place and its line', () => {
    const message = refusal('dataDir: ./d\nmodels:\n  profiles:\n    demo:\n      protocol: ${WHICH}\n')
    expect(message).toContain('yizhan.yaml:5')
    expect(message).toContain('${WHICH} at models.profiles.demo.protocol is not set')
    expect(message).toContain('WHICH_FILE')
  })

  it.each([
    [
      "schedules: [{ id: a, cron: '0 9 * * *', prompt: hi }]",
      1,
      'to of schedules, item 1 (a) is missing',
      'Add it',
    ],
    [
      'bots:\n  - { id: a, platform: feishu, appId: cli_0123456789abcdef, appSecret: s, previousEncryptKey: k }',
      2,
      'previousEncryptKey is for transport: webhook',
      '',
    ],
    [
      'bots:\n  - { id: a, platform: feishu, appId: cli_0123456789abcdef, appSecret: s, previousUntil: "2026-12-31T18:00:00+08:00" }',
      2,
      'previousUntil needs previousEncryptKey',
      '',
    ],
    [
      `bots:\n  - { id: a, platform: wecom, app: { corpId: ww1, agentId: 1, secret: s, previous: { token: t, encodingAesKey: ${'a'.repeat(43)} } } }`,
      2,
      'app.previous needs app.token and app.encodingAesKey',
      '',
    ],
    ['models: { profiles: { m: { protocol: openai } } }', 1, 'is missing', 'Write text here'],
    ['sever: { port: 1 }', 1, 'unknown key "sever"', 'Did you mean "server"?'],
    ['server:\n  prot: 80', 2, 'unknown key "prot" in server', 'Did you mean "port"?'],
    [
      'approval:\n  rules:\n    - { efect: deny, effect: deny }',
      3,
      'unknown key "efect"',
      'Did you mean "effect"?',
    ],
    [
      'bots:\n  - { id: a, platform: feishu, appId: cli_0123456789abcdef, appSecret: s, encryptkey: k }',
      2,
      'unknown key "encryptkey"',
      'Did you mean "encryptKey"?',
    ],
    [
      'models:\n  profiles:\n    a: { protocol: anthropic, apiKey: k, model: m, contxtTokens: 1 }',
      3,
      'contxtTokens',
      'contextTokens',
    ],
  ])('refuses the unknown key in %j with its line and the nearest known key', (text, line, what, fix) => {
    const message = refusal(text)
    expect(message).toContain(`yizhan.yaml:${line}`)
    expect(message).toContain(what)
    expect(message).toContain(fix)
  })

  it.each([
    ['log: { level: loud }', 'debug, info, warn, error'],
    ['approval: { expires: soon }', '30m'],
    ['access: { admins: [zhangsan] }', 'feishu:ou_0123'],
    ['bots:\n  - { id: a, platform: feishu, appId: cli_1, appSecret: s }', 'cli_ and 16 hexadecimal digits'],
    ['models: { default: gpt }', 'has only: demo'],
    ['calendar: { timezone: Asia/Beijing }', 'Asia/Shanghai'],
    ['server: [', 'indentation'],
  ])('refuses %j and says what to write', (text, fix) => {
    expect(refusal(text)).toContain(fix)
  })

  it('W1: webhook transport without its keys is refused', () => {
    const message = refusal(
      'bots:\n  - { id: a, platform: feishu, appId: cli_0123456789abcdef, appSecret: s, transport: webhook }',
    )
    expect(message).toContain('encryptKey and verificationToken')
  })

  it('refuses two bots with one id', () => {
    const bot = '{ id: a, platform: feishu, appId: cli_0123456789abcdef, appSecret: s }'
    expect(refusal(`bots:\n  - ${bot}\n  - ${bot}\n`)).toContain('two bots have the id "a"')
  })

  it('tells a misspelled key once, at its item, without the missing one that it stands for', () => {
    const bot = '{ id: ops, platform: feishu, appId: cli_0123456789abcdef, appSecrets: s }'
    const told = refusal(`bots:\n  - ${bot}\n`, {}, 'zh-CN')
    expect(told).toContain('配置有 1 处问题：')
    expect(told).toContain('yizhan.yaml:2  不认识的配置项“appSecrets”（位置：bots 第 1 项（ops））')
    expect(told).toContain('→ 是不是想写“appSecret”？')
    const missing = refusal(`bots:\n  - ${bot.replace('appSecrets: s', 'zzz: s')}\n`, {}, 'zh-CN')
    expect(missing).toContain('配置有 2 处问题：')
    expect(missing).toContain('缺少 bots 第 1 项（ops）的 appSecret\n      → 这里要写文字。')
  })

  it.each([
    ['a:\n\tb: 1', '不能用制表符缩进'],
    ['log: {}\nlog: {}', '同一个键写了两次'],
    ['server: [', '缩进和上下文对不上，或者括号没有写完'],
    ['a: b: c', '一行里写了不止一个“键: 值”，或带冒号的值没有加引号'],
    ['a: @b', '以 @、` 等特殊符号开头的值要加引号'],
    ['a: 1\n  b: 2', '键和它的冒号要写在同一行'],
  ])('says in the reader’s language what is wrong with the YAML %j', (text, words) => {
    expect(refusal(text, {}, 'zh-CN')).toContain(`YAML 写法有误：${words}\n`)
  })

  it('reports all problems of a file together', () => {
    expect(refusal('sever: 1\nlog: { level: loud }')).toContain('2 problems')
  })

  it('says which file is missing', () => {
    expect(() => loadConfig({ file: 'nowhere.yaml', env: {}, cwd: '/tmp' })).toThrow(
      /there is no configuration file \/tmp\/nowhere\.yaml/,
    )
  })
})
