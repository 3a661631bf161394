/** What the service did in a span of time, for reports. Reads only; pages through long spans. */
import type { Db } from '../store.ts'

/** A time, in one chat or everywhere. */
export interface UsageSpan {
  /** Milliseconds, `from` included, `to` not. */
  readonly from: number
  readonly to: number
  /** Only this chat; the whole service when absent. */
  readonly chat?: { readonly botId: string; readonly chatId: string }
}

export interface UsageRun {
  readonly startedAt: number
  readonly endedAt: number | null
  readonly state: string
  readonly requester: string
  readonly botId: string
  readonly chatId: string
  readonly chatName: string | null
  readonly model: string | null
  readonly steps: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedTokens: number
  readonly cost: number | null
  readonly currency: string | null
}

/** Runs that began in the span, oldest first, at most `limit`. */
export async function runsBetween(db: Db, span: UsageSpan, limit: number): Promise<UsageRun[]> {
  const all = db
    .selectFrom('runs')
    .innerJoin('sessions', 'sessions.id', 'runs.session_id')
    .leftJoin('chats', (join) =>
      join.onRef('chats.bot_id', '=', 'sessions.bot_id').onRef('chats.chat_id', '=', 'sessions.chat_id'),
    )
    .where('runs.started_at', '>=', span.from)
    .where('runs.started_at', '<', span.to)
  const { chat } = span
  const wanted = chat
    ? all.where('sessions.bot_id', '=', chat.botId).where('sessions.chat_id', '=', chat.chatId)
    : all
  return wanted
    .select([
      'runs.started_at as startedAt',
      'runs.ended_at as endedAt',
      'runs.state as state',
      'runs.requester as requester',
      'sessions.bot_id as botId',
      'sessions.chat_id as chatId',
      'chats.name as chatName',
      'runs.model as model',
      'runs.steps as steps',
      'runs.input_tokens as inputTokens',
      'runs.output_tokens as outputTokens',
      'runs.cached_tokens as cachedTokens',
      'runs.cost as cost',
      'runs.currency as currency',
    ])
    .orderBy('runs.started_at')
    .limit(limit)
    .execute()
}

/** Results of tool calls in the span, in order, as the log keeps them. */
export async function* toolResultsBetween(
  db: Db,
  span: UsageSpan,
): AsyncGenerator<{ readonly at: number; readonly payload: string }> {
  const PAGE = 500
  for (let after = 0; ; ) {
    const all = db
      .selectFrom('session_log')
      .innerJoin('sessions', 'sessions.id', 'session_log.session_id')
      .where('session_log.type', '=', 'result')
      .where('session_log.id', '>', after)
      .where('session_log.created_at', '>=', span.from)
      .where('session_log.created_at', '<', span.to)
    const { chat } = span
    const wanted = chat
      ? all.where('sessions.bot_id', '=', chat.botId).where('sessions.chat_id', '=', chat.chatId)
      : all
    const page = await wanted
      .select(['session_log.id as id', 'session_log.created_at as at', 'session_log.payload as payload'])
      .orderBy('session_log.id')
      .limit(PAGE)
      .execute()
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after = last.id
  }
}

export interface WaitingApproval {
  readonly code: string
  readonly tool: string
  readonly requester: string
  readonly chatName: string | null
  readonly approvers: readonly string[]
  readonly createdAt: number
  readonly expiresAt: number
}

/** Approvals that nobody has decided and that have not expired, oldest first. */
export async function approvalsWaiting(
  db: Db,
  now: number,
  chat: UsageSpan['chat'],
  limit: number,
): Promise<WaitingApproval[]> {
  const all = db
    .selectFrom('approvals')
    .leftJoin('chats', (join) =>
      join.onRef('chats.bot_id', '=', 'approvals.bot_id').onRef('chats.chat_id', '=', 'approvals.chat_id'),
    )
    .where('approvals.status', '=', 'pending')
    .where('approvals.expires_at', '>', now)
  const wanted = chat
    ? all.where('approvals.bot_id', '=', chat.botId).where('approvals.chat_id', '=', chat.chatId)
    : all
  const rows = await wanted
    .select([
      'approvals.code as code',
      'approvals.call as call',
      'approvals.requester as requester',
      'approvals.approvers as approvers',
      'approvals.created_at as createdAt',
      'approvals.expires_at as expiresAt',
      'chats.name as chatName',
    ])
    .orderBy('approvals.created_at')
    .limit(limit)
    .execute()
  return rows.map(({ call, approvers, ...row }) => ({
    ...row,
    tool: toolOf(call),
    approvers: listOf(approvers),
  }))
}

function toolOf(call: string): string {
  const parsed: unknown = JSON.parse(call)
  return typeof parsed === 'object' && parsed !== null && 'tool' in parsed ? String(parsed.tool) : ''
}

function listOf(approvers: string): string[] {
  const parsed: unknown = JSON.parse(approvers)
  return Array.isArray(parsed) ? parsed.map(String) : []
}
