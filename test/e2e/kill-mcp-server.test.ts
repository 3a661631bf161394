/** R1–R8: the process dies at every step of a call that an MCP client makes of us; it takes effect at most once. */
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it } from 'vitest'
import type { Company, Shown } from './support/company.ts'
import { timesRun } from './support/house.ts'
import { openStage } from './support/stage.ts'

const TOKEN = 'a-token-of-some-length'
const TEST_MS = 120_000

/** Where it dies, how often the command has run in the end, and what the client reads of it. */
const DEATHS = [
  ['while it waits for a click', undefined, 1, /"ok":true/],
  ['after the click', 'approval_decided', 1, /"ok":true/],
  ['before the command', 'intent_written', 0, /outcome is unknown/],
  ['after the command', 'effect_done', 1, /outcome is unknown/],
] as const

async function connect(url: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${TOKEN}` } },
  })
  await client.connect(transport as Parameters<Client['connect']>[0])
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}

/** A request that nobody wrote in the chat comes into a group of WeCom as words, and is answered in words. */
const asked = (company: Company): Shown | undefined =>
  company.shown().find(({ text }) => text.includes('laptop 请求批准'))
async function allow(company: Company, { id, text, buttons }: Shown): Promise<void> {
  const { admin } = company.people
  if (buttons.includes('允许')) await company.press(id, '允许', admin)
  else await company.say(/允许 [A-Z0-9]{6}/.exec(text)?.[0] ?? '', { from: admin })
}

/** The call as its resource tells of it, once it has ended. */
async function told(url: string, uri: string): Promise<string> {
  await using reader = await connect(url)
  for (;;) {
    const [content] = (await reader.readResource({ uri })).contents
    const text = content && 'text' in content ? String(content.text) : ''
    if (text.includes('"ended"')) return text
    await pause(100)
  }
}

describe.concurrent.each(['feishu', 'wecom'] as const)(
  'R1–R8: kill -9 in a call of a client, asked on %s',
  (platform) => {
    it.each(DEATHS)('%s', { timeout: TEST_MS }, async (_when, fault, ran, words) => {
      await using stage = await openStage(platform, ({ chatId }) => {
        const caller = `{ name: laptop, token: ${TOKEN}, tools: [workstation], chat: { bot: ops, id: "${chatId}" } }`
        return `mcp: { serve: { wait: 1s, callers: [${caller}] } }`
      })
      const { company } = stage
      await stage.start(fault)
      await stage.online()
      // A bot may write into a group of WeCom once somebody has spoken to it there.
      await company.say('你好')
      await stage.waitFor(() => company.finals()[0], 'the greeting')

      const args = { command: 'echo x >> count.txt' }
      await using client = await connect(stage.url())
      const pending = await client.callTool({ name: 'run_command', arguments: args })
      const { resource } = pending.structuredContent as { resource: string }
      const card = await stage.waitFor(() => asked(company), 'the card')
      if (fault === undefined) await stage.kill('SIGKILL')
      // Nobody answers a click on a service that is just dying.
      else void allow(company, card).catch(() => {})
      expect(await stage.ended()).toBe('SIGKILL')

      await stage.start()
      await stage.online()
      if (fault === undefined) await allow(company, card)
      expect(await told(stage.url(), resource)).toMatch(words)
      expect(timesRun(stage.dataDir)).toBe(ran)
    })
  },
)
