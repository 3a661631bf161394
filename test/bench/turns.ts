/** Long conversations: what a turn costs us, how much of the prompt stays the same, how large its fixed part is. */
import { setTimeout as pause } from 'node:timers/promises'
import { sessionKey } from '../../src/protocol/address.ts'
import type { LogEntry } from '../../src/protocol/session-log.ts'
import { ensureSession } from '../../src/store/repositories/sessions.ts'
import { openStore } from '../../src/store/store.ts'
import { createCollectingLogger } from '../support/logger.ts'
import { makeRequest } from './events.ts'
import { sendAll } from './load-client.ts'
import { openMockModel } from './mock-model.ts'
import { type Group, openGroups } from './model-request.ts'
import { atLeast, atMost, median, type Row } from './row.ts'
import { openTenant, startOurs } from './servers.ts'

const SHORT = 10
const LONG = 1_000
/** Unmeasured: see the bench of the model request. */
const WARM_UP = 20

export async function measureTurns(quick: boolean): Promise<Row[]> {
  const tenant = await openTenant()
  const model = await openMockModel()
  const [short, long] = openGroups(tenant, 2)
  if (!short || !long) throw new Error('there are no groups')
  const ours = await startOurs(tenant, {
    yaml: model.yaml,
    seed: async (dataDir) => {
      await seedTurns(dataDir, short.chatId, SHORT)
      await seedTurns(dataDir, long.chatId, LONG)
    },
  })
  const ask = async (group: Group): Promise<Turn> => {
    const text = '这次构建为什么失败？'
    const request = makeRequest(tenant.keys, '/webhooks/bench', ours.port, { ...group.say(text), text })
    const asked = model.next()
    const began = performance.now()
    await sendAll(ours.port, [request], 1)
    const ms = (await asked) - began
    await group.answered()
    await pause(5)
    return { ms, body: model.body() }
  }
  try {
    const pairs: { short: Turn; long: Turn }[] = []
    for (let i = 0; i < WARM_UP + (quick ? 10 : 40); i++)
      pairs.push({ short: await ask(short), long: await ask(long) })
    const measured = pairs.slice(WARM_UP)
    return rowsOf(measured)
  } finally {
    await ours.stop()
    await tenant.simulator.stop()
    model.close()
  }
}

interface Turn {
  /** From the event to the model request. */
  readonly ms: number
  readonly body: string
}

function rowsOf(pairs: readonly { readonly short: Turn; readonly long: Turn }[]): Row[] {
  const added = median(pairs.map(({ short, long }) => long.ms - short.ms))
  const shares = pairs.slice(1).flatMap(({ short, long }, at) => {
    const before = pairs[at]
    return before ? [shared(before.short.body, short.body), shared(before.long.body, long.body)] : []
  })
  return [
    atMost(`turn ${LONG.toLocaleString('en')} against turn ${SHORT}, own cost added`, added, 'ms', 10),
    atLeast('prompt prefix reused from turn to turn, least', 100 * Math.min(...shares), '%', 98),
    atMost('fixed prompt with tools', fixedBytes(pairs[0]?.short.body ?? '{}') / 1_024, 'KB', 16),
  ]
}

interface Body {
  readonly messages: readonly { readonly content?: unknown }[]
  readonly tools: readonly unknown[]
}

/** The prompt as providers cache it: tools, then messages in order. */
function prompt(body: string): string {
  const { tools, messages } = JSON.parse(body) as Body
  return [...tools, ...messages].map((part) => JSON.stringify(part)).join('')
}

/** Share of the earlier prompt with which the later one begins. */
function shared(before: string, after: string): number {
  const [a, b] = [prompt(before), prompt(after)]
  let same = 0
  while (same < a.length && a[same] === b[same]) same++
  return same / a.length
}

function fixedBytes(body: string): number {
  const { tools, messages } = JSON.parse(body) as Body
  return Buffer.byteLength(JSON.stringify(tools)) + Buffer.byteLength(String(messages[0]?.content ?? ''))
}

/** A conversation of `turns` questions and answers, as the service itself would have written it. */
async function seedTurns(dataDir: string, chatId: string, turns: number): Promise<void> {
  const address = { botId: 'bench', chatId, chatType: 'group' as const }
  const store = await openStore({ dataDir, logger: createCollectingLogger() })
  await ensureSession(store.db, address, Date.now())
  const row = (at: number, entry: LogEntry) => ({
    session_id: sessionKey(address),
    epoch: 0,
    run_id: `seed-${at}`,
    fence: 0,
    type: entry.type,
    payload: JSON.stringify(entry),
    created_at: Date.now(),
  })
  await store.transaction(async (trx) => {
    for (let at = 0; at < turns; at++)
      await trx
        .insertInto('session_log')
        .values([row(at, question(at)), row(at, answer(at))])
        .execute()
  })
  await store.close()
}

function question(at: number): LogEntry {
  const message = {
    ...{ messageId: `om_seed_${at}`, user: 'feishu:ou_seed' as const, name: '成员', replyTo: '' },
    text: `第 ${at} 问：请看一下第 ${at} 号构建为什么失败，写一份摘要。`,
    ...{ sentAt: Date.now(), context: [], files: [], notes: [] },
  }
  return { type: 'user', messages: [message] }
}

function answer(at: number): LogEntry {
  const text = `第 ${at} 答：构建在测试一步失败，原因是一个断言不成立；已附上日志里的相关几行。`
  // What the provider counted, so that no turn is compacted.
  const usage = { inputTokens: 10 + at, outputTokens: 10, cachedTokens: 0 }
  return { type: 'assistant', text, toolCalls: [], model: 'mock', usage }
}
