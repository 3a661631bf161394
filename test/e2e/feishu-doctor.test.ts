/** `npm run doctor` as an administrator sees it: the words on the terminal, and no secret in them. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createSystemClock } from '../../src/system/clock.ts'
import { type DoctorReport, runDoctor } from './support/doctor-process.ts'
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

async function doctor(config: string): Promise<DoctorReport> {
  const report = await runDoctor(config)
  expect(report.words).not.toContain(company.bot.appSecret)
  return report
}

describe('npm run doctor', () => {
  it('feishu 30: finds a complete app in order while the service runs beside it', async () => {
    company = await openFeishuCompany(createSystemClock())
    const config = writeConfig()
    const service = await startService(config)
    const { finding, words } = await doctor(config)
    await service.kill('SIGTERM')
    expect(words.split('\n').filter((line) => line.startsWith('✗ ops:'))).toEqual([])
    expect(finding('ops:feishu: long connection')).toMatch(/^✓/)
  })

  it.each([
    ['bot ability off', { bot: false }, 'App ID', /bot ability/i],
    ['version unpublished', { published: false }, 'App ID', /publish/i],
    ['event not subscribed', { events: [] }, 'event subscription', /im\.message\.receive_v1/],
  ] as const)('feishu 30: names %s and where to change it', async (_what, change, check, expected) => {
    company = await openFeishuCompany(createSystemClock())
    company.simulator.control.updateApp(company.bot.appId, change)
    const { code, finding } = await doctor(writeConfig())
    expect(code).toBe(1)
    expect(finding(`ops:feishu: ${check}`)).toMatch(expected)
    expect(finding(`ops:feishu: ${check}`)).toContain('→')
    expect(finding(`ops:feishu: ${check}`)).toContain(`/app/${company.bot.appId}/`)
  })

  it('feishu 30: names a missing scope by its own name', async () => {
    company = await openFeishuCompany(createSystemClock())
    company.simulator.control.updateApp(company.bot.appId, {
      scopes: ['im:message', 'application:application:self_manage'],
    })
    const { finding } = await doctor(writeConfig())
    expect(finding('ops:feishu: permissions')).toContain('cardkit:card:write')
  })

  it('feishu 30: names a bad secret, and shows neither the wrong nor the right one', async () => {
    company = await openFeishuCompany(createSystemClock())
    const config = writeConfig((yaml) => yaml.replace(company.bot.appSecret, 'not-the-secret-of-this-app'))
    const { code, finding, words } = await doctor(config)
    expect(code).toBe(1)
    expect(finding('ops:feishu: App ID')).toMatch(/secret/i)
    expect(words).not.toContain('not-the-secret-of-this-app')
  })

  it('feishu 30: says that no long connection can be made, and what to do', async () => {
    company = await openFeishuCompany(createSystemClock())
    company.simulator.control.faults.onEndpoint({ code: 514, message: 'auth failed', times: 10 })
    const { finding } = await doctor(writeConfig())
    expect(finding('ops:feishu: long connection')).toMatch(/^✗.*514: auth failed/)
    expect(finding('ops:feishu: long connection')).toContain('→')
  })

  it('feishu 30: names the forgotten callback page, the error of a click, and where to change it', async () => {
    company = await openFeishuCompany(createSystemClock())
    company.simulator.control.updateApp(company.bot.appId, { callbackMode: 'none' })
    const { finding } = await doctor(writeConfig())
    expect(finding('ops:feishu: card callbacks')).toMatch(/^✗ .*card\.action\.trigger.*200340/)
    expect(finding('ops:feishu: card callbacks')).toContain(`/app/${company.bot.appId}/event`)
  })
})
