/** What the service wrote down in two days: runs of two chats, their tool results, and approvals that wait. */
import { randomUUID } from 'node:crypto'
import type { Store } from '../../../../src/store/store.ts'
import { approvalRow, sessionRow } from '../../../support/rows.ts'

export const HOUR = 3_600_000
/** Monday, 09:00 in Shanghai; yesterday is the 29th. */
export const AT = Date.parse('2026-11-30T01:00:00Z')
export const YESTERDAY = Date.parse('2026-11-29T04:00:00Z')
export const BEFORE = YESTERDAY - 24 * HOUR

async function session(store: Store, chat: string, name: string | null): Promise<void> {
  await store.db.insertInto('sessions').values(sessionRow(chat)).execute()
  if (name === null) return
  await store.db
    .insertInto('chats')
    .values({ bot_id: 'ops', chat_id: chat, state: 'present', name, updated_at: 0 })
    .execute()
}

async function run(store: Store, chat: string, at: number, more: object = {}): Promise<void> {
  await store.db
    .insertInto('runs')
    .values({
      ...{
        id: randomUUID(),
        session_id: chat,
        state: 'done',
        requester: 'feishu:ou_a',
        reply_to: null,
        live: null,
      },
      ...{ crashes: 0, steps: 2, input_tokens: 1_000, output_tokens: 100, cached_tokens: 0, model: 'glm' },
      ...{ cost: 0.1, currency: 'CNY', reason: null, started_at: at, ended_at: at + 10_000 },
      ...more,
    })
    .execute()
}

async function result(
  store: Store,
  chat: string,
  at: number,
  tool: string,
  error?: { type: string; message: string },
): Promise<void> {
  const payload = {
    type: 'result',
    callId: 'c',
    tool,
    ok: error === undefined,
    text: '',
    ms: 5,
    ...(error && { error }),
  }
  await store.db
    .insertInto('session_log')
    .values({
      ...{ session_id: chat, epoch: 0, run_id: 'r', fence: 0, type: 'result', created_at: at },
      payload: JSON.stringify(payload),
    })
    .execute()
}

async function waiting(
  store: Store,
  chat: string,
  code: string,
  ageMs: number,
  more: object = {},
): Promise<void> {
  const row = approvalRow({
    ...{ id: code, session_id: chat, chat_id: chat, call_id: code, nonce: code, code },
    call: '{"tool":"shell","command":"export TOKEN=secret-word"}',
    ...{ requester: 'feishu:ou_a', approvers: '["feishu:ou_b","feishu:ou_c"]' },
    ...{ expires_at: AT + HOUR, created_at: AT - ageMs },
    ...more,
  })
  await store.db.insertInto('approvals').values(row).execute()
}

/** Writes all of it. */
export async function writeRecords(store: Store): Promise<void> {
  await session(store, 'oc_1', '财务群')
  await session(store, 'oc_2', null)
  await run(store, 'oc_1', YESTERDAY)
  await run(store, 'oc_1', YESTERDAY + HOUR, { state: 'failed', cost: 0.2 })
  await run(store, 'oc_2', YESTERDAY, { model: 'claude', cost: 0.5, currency: 'USD' })
  await run(store, 'oc_2', YESTERDAY, { state: 'running', ended_at: null, cost: null, currency: null })
  await run(store, 'oc_1', BEFORE)
  await run(store, 'oc_1', AT)
  await result(store, 'oc_1', YESTERDAY, 'shell')
  await result(store, 'oc_1', YESTERDAY, 'shell', { type: 'timeout', message: '超过 60 秒\n更多' })
  await result(store, 'oc_1', YESTERDAY, 'shell', { type: 'timeout', message: '超过 90 秒' })
  await result(store, 'oc_2', YESTERDAY, 'read_file', { type: 'not_found', message: '没有 a.txt' })
  await result(store, 'oc_1', BEFORE, 'shell')
  await waiting(store, 'oc_1', 'AAAA22', 26 * HOUR)
  await waiting(store, 'oc_2', 'BBBB33', HOUR / 2)
  await waiting(store, 'oc_1', 'GONE44', 90 * HOUR, { expires_at: AT - 1 })
  await waiting(store, 'oc_1', 'DONE55', 90 * HOUR, { status: 'approved' })
  const people = [
    { user: 'feishu:ou_a', name: '张三' },
    { user: 'feishu:ou_b', name: '王芳' },
  ]
  await store.db
    .insertInto('people')
    .values(people.map((one) => ({ ...one, updated_at: 0 })))
    .execute()
}
