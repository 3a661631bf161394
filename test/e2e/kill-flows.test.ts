/**
 * The process dies in the flows beside the main job, on both platforms: a file on its way into the
 * chat, a scheduled run, a call of an MCP server, a command of the chat. The next start loses and doubles nothing.
 */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createSystemClock } from '../../src/system/clock.ts'
import { moody } from '../src/mcp/client/bench.ts'
import { type Company, type Shown, until } from './support/company.ts'
import { openFeishuCompany } from './support/feishu-company.ts'
import { configText } from './support/house.ts'
import { type ServiceProcess, startService } from './support/service-process.ts'
import { openWecomCompany } from './support/wecom-company.ts'

const COMPANIES = { feishu: openFeishuCompany, wecom: openWecomCompany }
/** Longer than a doubled answer would need after the first. */
const AFTERMATH_MS = 1_500
const TEST_MS = 120_000

let company: Company
let service: ServiceProcess | undefined
afterEach(async () => {
  await service?.kill('SIGKILL')
  await company.stop()
})

async function open(platform: keyof typeof COMPANIES, yaml: (company: Company) => string): Promise<string> {
  company = await COMPANIES[platform](createSystemClock())
  const folder = mkdtempSync(join(tmpdir(), 'yizhan-flows-'))
  const config = join(folder, 'yizhan.yaml')
  writeFileSync(config, configText(company, join(folder, 'data'), yaml(company)))
  return config
}

const waitFor = <T>(probe: () => T | undefined | false, what: string): Promise<T> =>
  until(company, probe, () => {
    const seen = company.shown().map((message) => message.text)
    return `${what}; the chat shows:\n${seen.join('\n---\n')}\n${service?.log() ?? ''}`
  })
const aftermath = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, AFTERMATH_MS))
const online = (): Promise<true> => waitFor(() => company.online() || undefined, 'a connection')

describe.each(['feishu', 'wecom'] as const)('R1–R8: kill -9 beside the main job on %s', (platform) => {
  const files = (): readonly Shown[] => company.shown().filter((message) => message.file !== undefined)

  it.each([
    ['after the file was written', 'effect_done:1', 0],
    ['before the file is queued', 'intent_written:2', 0],
    ['after the file was queued', 'effect_done:2', 1],
  ] as const)(
    'a file, %s: one answer, and the file never twice',
    { timeout: TEST_MS },
    async (_when, fault, atLeast) => {
      const config = await open(platform, () => '')
      service = await startService(config, { FAULT_AT: fault })
      await online()
      await company.say('列出工作目录里的文件，然后写一份 report.md 发给我')
      expect(await service.ended()).toBe('SIGKILL')
      service = await startService(config)
      await waitFor(() => company.finals()[0], 'the answer')
      await aftermath()
      expect(company.finals()).toHaveLength(1)
      expect(files().length).toBeLessThanOrEqual(1)
      expect(files().length).toBeGreaterThanOrEqual(atLeast)
    },
  )

  const RESULT = '工作目录是空的'
  const results = (): readonly Shown[] => company.shown().filter(({ text }) => text.includes(RESULT))

  it.each(['mid_stream', 'message_sent:2'])(
    'a scheduled run, at %s: its result comes once',
    { timeout: TEST_MS },
    async (fault) => {
      const config = await open(
        platform,
        ({ chatId, people }) => `
schedules:
  - { id: nightly, cron: "0 3 1 1 *", to: { bot: ops, chat: "${chatId}" }, prompt: 看看工作目录里有哪些文件, owner: "${people.admin.key}" }
`,
      )
      service = await startService(config, { FAULT_AT: fault })
      await online()
      await company.say('/schedule run nightly', { from: company.people.admin })
      expect(await service.ended()).toBe('SIGKILL')
      service = await startService(config)
      await waitFor(() => results()[0], 'the result')
      await aftermath()
      expect(results()).toHaveLength(1)
    },
  )

  it.each([
    ['before it begins', 'intent_written', 0],
    ['after its effect', 'effect_done', 1],
  ] as const)(
    'a call of an MCP server, %s: never made again',
    { timeout: TEST_MS },
    async (_when, fault, made) => {
      const mood = moody()
      const config = await open(
        platform,
        () => `mcp: { discover: false, servers: { moody: ${JSON.stringify(mood.entry)} } }`,
      )
      service = await startService(config, { FAULT_AT: fault })
      await online()
      await company.say('调用 mcp__moody__greet {"who":"x"}')
      const card = await waitFor(
        () => company.shown().find((message) => message.buttons.includes('允许')),
        'the card',
      )
      // Nobody answers a click on a service that is just dying.
      company.press(card.id, '允许', company.people.admin).catch(() => {})
      expect(await service.ended()).toBe('SIGKILL')
      service = await startService(config)
      await waitFor(() => company.finals()[0], 'the answer')
      await aftermath()
      expect(mood.calls()).toBe(made)
      expect(company.finals()).toHaveLength(1)
    },
  )

  it('a command of the chat, after its row: it is answered once', { timeout: TEST_MS }, async () => {
    const config = await open(platform, () => '')
    service = await startService(config, { FAULT_AT: 'inbox_stored' })
    await online()
    const id = await company.say('/whoami')
    expect(await service.ended()).toBe('SIGKILL')
    service = await startService(config)
    if (platform === 'feishu') company.redeliver(id)
    const answers = (): readonly Shown[] =>
      company.shown().filter(({ text }) => text.includes(company.people.member.key))
    await waitFor(() => answers()[0], 'the answer')
    await aftermath()
    expect(answers()).toHaveLength(1)
  })
})
