/** R1–R8: the process dies at every step of a call that an MCP client makes of us; it takes effect at most once. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, describe, expect, it } from 'vitest'
import { createSystemClock } from '../../src/system/clock.ts'
import { type Company, type Shown, until } from './support/company.ts'
import { openFeishuCompany } from './support/feishu-company.ts'
import { configText, timesRun } from './support/house.ts'
import { type ServiceProcess, startService } from './support/service-process.ts'
import { openWecomCompany } from './support/wecom-company.ts'

const COMPANIES = { feishu: openFeishuCompany, wecom: openWecomCompany }
const TOKEN = 'a-token-of-some-length'
const TEST_MS = 120_000

/** Where it dies, how often the command has run in the end, and what the client reads of it. */
const DEATHS = [
  ['while it waits for a click', undefined, 1, /"ok":true/],
  ['after the click', 'approval_decided', 1, /"ok":true/],
  ['before the command', 'intent_written', 0, /outcome is unknown/],
  ['after the command', 'effect_done', 1, /outcome is unknown/],
] as const

let company: Company
let service: ServiceProcess
let client: Client | undefined
afterEach(async () => {
  await client?.close()
  await service.kill('SIGKILL')
  await company.stop()
})

const waitFor = <T>(probe: () => T | undefined | false, what: string): Promise<T> =>
  until(company, probe, () => {
    const seen = company.shown().map((message) => message.text)
    return `${what}; the chat shows:\n${seen.join('\n---\n')}\n${service.log()}`
  })

async function connect(): Promise<Client> {
  await client?.close()
  client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(`${service.url()}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${TOKEN}` } },
  })
  await client.connect(transport as Parameters<Client['connect']>[0])
  return client
}

/** A request that nobody wrote in the chat comes into a group of WeCom as words, and is answered in words. */
const asked = (): Shown | undefined =>
  company.shown().find(({ text }) => text.includes('laptop 的请求需要批准'))
async function allow({ id, text, buttons }: Shown): Promise<void> {
  const { admin } = company.people
  if (buttons.includes('允许')) await company.press(id, '允许', admin)
  else await company.say(/允许 [A-Z0-9]{6}/.exec(text)?.[0] ?? '', { from: admin })
}

/** The call as its resource tells of it, once it has ended. */
async function ended(uri: string): Promise<string> {
  const reader = await connect()
  for (;;) {
    const [content] = (await reader.readResource({ uri })).contents
    const text = content && 'text' in content ? String(content.text) : ''
    if (text.includes('"ended"')) return text
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

describe.each(['feishu', 'wecom'] as const)(
  'R1–R8: kill -9 in a call of a client, asked on %s',
  (platform) => {
    it.each(DEATHS)('%s', { timeout: TEST_MS }, async (_when, fault, ran, told) => {
      company = await COMPANIES[platform](createSystemClock())
      const folder = mkdtempSync(join(tmpdir(), 'yizhan-calls-'))
      const dataDir = join(folder, 'data')
      const config = join(folder, 'yizhan.yaml')
      const caller = `{ name: laptop, token: ${TOKEN}, tools: [workstation], chat: { bot: ops, id: "${company.chatId}" } }`
      const serve = `mcp: { serve: { wait: 1s, callers: [${caller}] } }`
      writeFileSync(config, configText(company, dataDir, serve))
      service = await startService(config, fault === undefined ? {} : { FAULT_AT: fault })
      await waitFor(() => company.online() || undefined, 'a connection')
      // A bot may write into a group of WeCom once somebody has spoken to it there.
      await company.say('你好')
      await waitFor(() => company.finals()[0], 'the greeting')

      const args = { command: 'echo x >> count.txt' }
      const pending = await (await connect()).callTool({ name: 'run_command', arguments: args })
      const { resource } = pending.structuredContent as { resource: string }
      const card = await waitFor(asked, 'the card')
      if (fault === undefined) await service.kill('SIGKILL')
      // Nobody answers a click on a service that is just dying.
      else void allow(card).catch(() => {})
      expect(await service.ended()).toBe('SIGKILL')

      service = await startService(config)
      await waitFor(() => company.online() || undefined, 'a connection')
      if (fault === undefined) await allow(card)
      expect(await ended(resource)).toMatch(told)
      expect(timesRun(dataDir)).toBe(ran)
    })
  },
)
