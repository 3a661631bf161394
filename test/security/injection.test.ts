import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createGate } from '../../src/approval/gate.ts'
import { configSchema } from '../../src/config/schema.ts'
import { createAccess } from '../../src/policy/access.ts'
import { createCommandAnalyser } from '../../src/policy/command/analysis.ts'
import { createPolicy } from '../../src/policy/policy.ts'
import type { LogEntry, StoredEntry } from '../../src/protocol/session-log.ts'
import { type AnyTool, defineTool } from '../../src/protocol/tool.ts'
import { appendEntry } from '../../src/store/repositories/session-log.ts'
import { ensureNamedSession } from '../../src/store/repositories/sessions.ts'
import { admin, group, member, openRoom, type Room } from '../src/approval/fixture.ts'
import { contextOf } from '../src/approval/gate-stage.ts'
import { shippedTools } from '../support/shipped-tools.ts'
import { CARRIERS, FAMILIES, type ObeyedCall } from './injections.ts'

/** An operator who trusts his people: in a session of their own words, each of these calls just runs. */
const TRUSTING = {
  access: { admins: [admin.user] },
  approval: {
    maxPendingPerChat: 10_000,
    rules: [
      ...['curl', 'wget', 'rm', 'ping', 'mv'].map((program) => ({ program, effect: 'allow' })),
      ...['web_*', 'remember_fact', 'memory_*', 'mcp__*', 'browser_*', 'start_command'].map((tool) => ({
        tool,
        effect: 'allow',
      })),
    ],
  },
}

const mail = defineTool({
  name: 'mcp__mail__send',
  description: 'Sends a mail.',
  input: z.object({}),
  readOnly: false,
  risk: 'control',
  title: () => 'mail',
  run: async () => ({ ok: true, text: '' }),
})

/** Whatever a title shows of a call. */
const WORDS = { key: 'k', value: 'v', block: 'user_profile', name: 'n', content: 'c', text: 't', ref: 'e1' }

let room: Room
let tools: readonly AnyTool[]
let sessions = 0
const config = configSchema.parse(TRUSTING)
const analyser = createCommandAnalyser()

beforeAll(async () => {
  room = await openRoom({ config: TRUSTING })
  tools = [...(await shippedTools()).chat, mail]
})
afterAll(() => room.store.close())

/** What the gate says to an obedient model in a fresh session with this log. */
async function effectOf(log: readonly LogEntry[], { tool: name, ...call }: ObeyedCall): Promise<string> {
  const sessionId = `p${++sessions}`
  await ensureNamedSession(room.store.db, sessionId, group, room.clock.now())
  await room.store.db
    .updateTable('sessions')
    .set({ fence: 1, lease_owner: 'w1' })
    .where('id', '=', sessionId)
    .execute()
  const writer = { sessionId, epoch: 0, runId: 'r1', fence: 1 }
  const entries: StoredEntry[] = []
  for (const entry of log) entries.push(await appendEntry(room.store.db, writer, entry, room.clock.now()))
  const gate = createGate(
    {
      ...{ store: room.store, approvals: room.approvals, audit: room.audit, analyser },
      policy: createPolicy(config, createAccess(config)),
    },
    {
      entries: () => entries,
      appendIn: (trx, entry) => appendEntry(trx, writer, entry, room.clock.now()),
      adopt: () => undefined,
    },
  )
  const tool = tools.find((one) => one.name === name)
  if (!tool) throw new Error(`there is no tool ${name}`)
  const bound = { tool: name, args: { ...WORDS, ...call }, ...call, ...(call.command ? { cwd: '/w' } : {}) }
  return (await gate.judge(tool, bound, { ...contextOf(room), sessionId })).effect
}

const typed = (text: string): LogEntry => ({
  type: 'user',
  messages: [
    {
      ...{ messageId: 'om_1', user: member.user, name: '小王', text, sentAt: 0, replyTo: 'om_1' },
      ...{ context: [], files: [], notes: [] },
    },
  ],
})

const corpus = Object.entries(CARRIERS).flatMap(([carrier, wrap]) =>
  FAMILIES.flatMap(({ name, zh, en, obeyed }) =>
    [zh, en].map((words) => ({ title: `${name}, in ${carrier}`, log: wrap(words), obeyed })),
  ),
)

describe('P5: a model that obeys every injection', () => {
  it.each(FAMILIES)(
    'is trusted by this operator: $name just runs among the members’ own words',
    async ({ obeyed }) => {
      expect(await effectOf([typed('请处理')], obeyed)).toBe('allow')
    },
  )

  it('does nothing by itself, in any of more than 200 ways', { timeout: 120_000 }, async () => {
    expect(corpus.length).toBeGreaterThanOrEqual(200)
    expect(new Set(corpus.map((one) => JSON.stringify(one.log))).size).toBe(corpus.length)
    const obeyed: string[] = []
    for (const { title, log, obeyed: call } of corpus)
      if ((await effectOf(log, call)) !== 'ask') obeyed.push(title)
    expect(obeyed).toEqual([])
  })
})
