/** `npm run doctor` as an administrator sees it: the words on the terminal, and no secret in them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createSystemClock } from '../../src/system/clock.ts'
import { type FeishuCompany, openFeishuCompany } from './support/feishu-company.ts'
import { configText } from './support/house.ts'
import { startService } from './support/service-process.ts'

vi.setConfig({ testTimeout: 120_000 })

let company: FeishuCompany
afterEach(() => company?.stop())

function writeConfig(edit: (yaml: string) => string = (yaml) => yaml): string {
  const folder = mkdtempSync(join(tmpdir(), 'yizhan-doctor-'))
  const file = join(folder, 'yizhan.yaml')
  writeFileSync(file, edit(configText(company, join(folder, 'data'))))
  return file
}

async function doctor(config: string): Promise<{ code: number; words: string }> {
  const child = spawn(process.execPath, ['src/start.js', 'doctor', '--config', config], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let words = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      words += chunk
    })
  const [code] = (await once(child, 'close')) as [number]
  expect(words).not.toContain(company.bot.appSecret)
  return { code, words }
}

/** The line of a check with the lines of its remedy. */
const finding = (words: string, check: string): string =>
  new RegExp(`^[✓✗?] ops:feishu: ${check}.*(?:\\n {4}.*)*`, 'm').exec(words)?.[0] ?? ''

describe('npm run doctor', () => {
  it('feishu 30: finds a complete app in order while the service runs beside it', async () => {
    company = await openFeishuCompany(createSystemClock())
    const config = writeConfig()
    const service = await startService(config)
    const { words } = await doctor(config)
    await service.kill('SIGTERM')
    expect(words.split('\n').filter((line) => line.startsWith('✗ ops:'))).toEqual([])
    expect(finding(words, 'long connection')).toMatch(/^✓/)
  })

  it.each([
    ['bot ability off', { bot: false }, 'App ID', /bot ability/i],
    ['version unpublished', { published: false }, 'App ID', /publish/i],
    ['event not subscribed', { events: [] }, 'event subscription', /im\.message\.receive_v1/],
  ] as const)('feishu 30: names %s and where to change it', async (_what, change, check, expected) => {
    company = await openFeishuCompany(createSystemClock())
    company.simulator.control.updateApp(company.bot.appId, change)
    const { code, words } = await doctor(writeConfig())
    expect(code).toBe(1)
    expect(finding(words, check)).toMatch(expected)
    expect(finding(words, check)).toContain('→')
    expect(finding(words, check)).toContain(`/app/${company.bot.appId}/`)
  })

  it('feishu 30: names a missing scope by its own name', async () => {
    company = await openFeishuCompany(createSystemClock())
    company.simulator.control.updateApp(company.bot.appId, {
      scopes: ['im:message', 'application:application:self_manage'],
    })
    const { words } = await doctor(writeConfig())
    expect(finding(words, 'permissions')).toContain('cardkit:card:write')
  })

  it('feishu 30: names a bad secret, and shows neither the wrong nor the right one', async () => {
    company = await openFeishuCompany(createSystemClock())
    const config = writeConfig((yaml) => yaml.replace(company.bot.appSecret, 'not-the-secret-of-this-app'))
    const { code, words } = await doctor(config)
    expect(code).toBe(1)
    expect(finding(words, 'App ID')).toMatch(/secret/i)
    expect(words).not.toContain('not-the-secret-of-this-app')
  })

  it('feishu 30: says that no long connection can be made, and what to do', async () => {
    company = await openFeishuCompany(createSystemClock())
    company.simulator.control.faults.onEndpoint({ code: 514, message: 'auth failed', times: 10 })
    const { words } = await doctor(writeConfig())
    expect(finding(words, 'long connection')).toMatch(/^✗.*514: auth failed/)
    expect(finding(words, 'long connection')).toContain('→')
  })

  it('feishu 30: names the forgotten callback page, the error of a click, and where to change it', async () => {
    company = await openFeishuCompany(createSystemClock())
    company.simulator.control.updateApp(company.bot.appId, { callbackMode: 'none' })
    const { words } = await doctor(writeConfig())
    expect(finding(words, 'card callbacks')).toMatch(/^✗ .*card\.action\.trigger.*200340/)
    expect(finding(words, 'card callbacks')).toContain(`/app/${company.bot.appId}/event`)
  })
})
