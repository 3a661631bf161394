/**
 * "Do not ask again for this command in this session", given to one person for one command, and everybody who
 * might profit from it: nobody's words but his, and nothing that runs without him.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Person, Shown } from './support/company.ts'
import { type Endpoint, type Reply, startEndpoint, type Turn } from './support/endpoint.ts'
import { type FeishuHouse, openFeishuHouse } from './support/feishu-house.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })

const TOKEN = 'a-token-of-some-length'
const COMMAND = 'touch mark.txt'
const RUN: Reply = { calls: [{ name: 'shell', args: { command: COMMAND } }] }

let house: FeishuHouse
let endpoint: Endpoint
/** Opens when the other person's message may join the run. */
let gate: PromiseWithResolvers<void>

/** A model that does what the last words say, whoever wrote them. */
function script({ said, results }: Turn): Reply {
  const asked = said.at(-1) ?? ''
  if (asked.includes('慢慢来') && results.length === 0)
    return { text: slowly(), calls: [{ name: 'glob', args: { pattern: '*' } }] }
  if (asked.includes('派助手') && results.length === 0)
    return { calls: [{ name: 'dispatch_agent', args: { task: '助手做标记' } }] }
  if (asked.includes('做标记') && results.length === 0) return RUN
  return { text: [`结束：${results.at(-1) ?? ''}`] }
}

async function* slowly(): AsyncIterable<string> {
  yield '先看看。'
  await gate.promise
}

/** The gate began a shell call so many times; a grant begins one without an approval. */
async function started(): Promise<number> {
  const rows = await house.app.store.db
    .selectFrom('audit')
    .select('detail')
    .where('action', '=', 'call.started')
    .execute()
  return rows.filter(({ detail }) => JSON.parse(detail).tool === 'shell').length
}

const cards = (): Shown[] => house.shown().filter(({ buttons }) => buttons.includes('允许'))
const card = (): Promise<Shown> => house.until(() => cards()[0], 'a card')

async function answered(work: () => Promise<unknown>): Promise<Shown> {
  const before = house.finals().length
  await work()
  return house.until(() => house.finals()[before], 'an answer')
}

/** Waits until a message is on disk; the run takes it at its next step. */
async function stored(messageId: string): Promise<void> {
  await vi.waitUntil(
    () =>
      house.app.store.db
        .selectFrom('inbox')
        .select('id')
        .where('dedupe', 'like', `ops:m:%${messageId}`)
        .executeTakeFirst(),
    { timeout: 60_000, interval: 50 },
  )
}

/** Asks, is asked back, and denies: the person's words were covered by nothing. */
async function isAskedAbout(words: string, from: Person): Promise<void> {
  const before = await started()
  await answered(async () => {
    await house.say(words, { from })
    await house.press((await card()).id, '拒绝', house.people.admin)
  })
  expect(await started()).toBe(before)
}

beforeEach(async () => {
  gate = Promise.withResolvers()
  endpoint = await startEndpoint('openai', script)
  house = await openFeishuHouse({
    yaml: ({ chatId, people }) => `
${endpoint.yaml}
mcp:
  serve:
    callers: [{ name: laptop, token: ${TOKEN}, tools: [agent], chat: { bot: ops, id: ${chatId} } }]
schedules:
  - id: nightly
    cron: "0 3 * * *"
    to: { bot: ops, chat: "${chatId}" }
    prompt: 做标记
    owner: "${people.member.key}"
    approvals: skip
`,
  })
  const { member, admin } = house.people
  await answered(async () => {
    await house.say('做标记', { from: member })
    const { id: messageId } = await card()
    const click = { userId: admin.id, messageId, on: '允许', form: { scope: 'session' } }
    expect((await house.control.click(click)).toast?.type).toBe('success')
  })
  // What was given is real: the same words of the same person ask nobody.
  await answered(() => house.say('做标记', { from: member }))
  expect([await started(), cards()]).toEqual([2, []])
})

afterEach(async () => {
  gate.resolve()
  await house?.stop()
  await endpoint?.stop()
})

describe('C19: what was allowed to one person for the session', () => {
  it('covers no later words of another, nor his own in another chat, and nothing after /new', async () => {
    const { member, other } = house.people
    await isAskedAbout('做标记', other)
    const elsewhere = house.addGroup('别的群', Object.values(house.people))
    await house.say('做标记', { from: member, chatId: elsewhere })
    await house.until(
      () => house.shown(elsewhere).find(({ buttons }) => buttons.includes('允许')),
      'a card elsewhere',
    )
    await house.say('/new', { from: other })
    await house.until(() => house.shown().find(({ text }) => text.includes('新会话')), 'the new conversation')
    await isAskedAbout('做标记', member)
  })

  it('covers no words of another that joined his run', async () => {
    const { member, other } = house.people
    await house.say('慢慢来', { from: member })
    await house.until(() => house.shown().find(({ text }) => text.includes('先看看')), 'the run')
    await answered(async () => {
      const message = await house.say('做标记', { from: other })
      await stored(message)
      gate.resolve()
      const asked = await card()
      expect(asked.text).toContain(member.name)
      expect(asked.text).toContain(other.name)
      await house.press(asked.id, '拒绝', house.people.admin)
    })
    expect(await started()).toBe(2)
  })

  it('covers no helper, no schedule of his own in the same chat, and no agent over MCP', async () => {
    const { member, admin } = house.people
    const helped = await answered(() => house.say('派助手', { from: member }))
    expect(helped.text).toContain('结束')
    expect([await started(), cards()]).toEqual([2, []])

    const scheduled = (): Shown | undefined => house.shown().find(({ text }) => text.includes('需要审批'))
    await house.say('/schedule run nightly', { from: admin })
    await house.until(scheduled, 'the result of the schedule')
    expect([await started(), cards()]).toEqual([2, []])

    const client = new Client({ name: 'test', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL(`${house.app.listening.url}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${TOKEN}` } },
    })
    await client.connect(transport as Parameters<typeof client.connect>[0])
    const result = client.callTool({ name: 'run_agent', arguments: { prompt: '做标记' } })
    await house.press((await card()).id, '拒绝', admin)
    await result
    expect(await started()).toBe(2)
    await client.close()
  })
})
