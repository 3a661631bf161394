/** The service's own work as tables: runs, tool calls, commands that wait for a person. */
import type { Kysely } from 'kysely'
import { z } from 'zod'
import { knownNames } from '../../store/repositories/people.ts'
import {
  approvalsWaiting,
  runsBetween,
  toolResultsBetween,
  type UsageSpan,
} from '../../store/repositories/usage.ts'
import type { Database } from '../../store/schema.ts'
import type { Span } from '../period.ts'
import type { Table } from '../table.ts'
import { createGatherer } from './gather.ts'
import type { ReadLimits } from './source.ts'

type Chat = UsageSpan['chat']

export const RUN_COLUMNS = [
  ...['started_at', 'seconds', 'state', 'person', 'chat', 'model', 'steps'],
  ...['input_tokens', 'output_tokens', 'cached_tokens', 'cost', 'currency'],
] as const

export async function readRuns(
  db: Kysely<Database>,
  span: Span,
  chat: Chat,
  limits: ReadLimits,
): Promise<Table> {
  // One more than wanted shows that there are more.
  const runs = await runsBetween(db, { ...span, ...(chat && { chat }) }, limits.rows + 1)
  const names = await knownNames(db, [...new Set(runs.map((run) => run.requester))].slice(0, 1_000))
  const gatherer = createGatherer(limits)
  for (const run of runs) {
    gatherer.add([
      ...[run.startedAt, run.endedAt === null ? null : (run.endedAt - run.startedAt) / 1_000, run.state],
      ...[names[run.requester] ?? run.requester, run.chatName ?? run.chatId, run.model, run.steps],
      ...[run.inputTokens, run.outputTokens, run.cachedTokens, run.cost, run.currency],
    ])
  }
  return gatherer.table(RUN_COLUMNS)
}

const resultSchema = z.looseObject({
  tool: z.string(),
  ok: z.boolean(),
  ms: z.number().default(0),
  error: z.looseObject({ type: z.string(), message: z.string() }).optional(),
})

export const TOOL_COLUMNS = ['at', 'tool', 'ok', 'seconds', 'error', 'message'] as const

export async function readToolCalls(
  db: Kysely<Database>,
  span: Span,
  chat: Chat,
  limits: ReadLimits,
): Promise<Table> {
  const gatherer = createGatherer(limits)
  for await (const { at, payload } of toolResultsBetween(db, { ...span, ...(chat && { chat }) })) {
    const result = resultSchema.parse(JSON.parse(payload))
    const { type, message } = result.error ?? { type: null, message: null }
    const row = [at, result.tool, result.ok, result.ms / 1_000, type, message?.split('\n')[0]?.slice(0, 200)]
    if (!gatherer.add(row)) break
  }
  return gatherer.table(TOOL_COLUMNS)
}

export const WAITING_COLUMNS = ['number', 'kind', 'person', 'waits_for', 'since', 'until', 'chat'] as const

export async function readWaiting(
  db: Kysely<Database>,
  now: number,
  chat: Chat,
  limits: ReadLimits,
): Promise<Table> {
  const waiting = await approvalsWaiting(db, now, chat, limits.rows + 1)
  const people = waiting.flatMap((each) => [each.requester, ...each.approvers])
  const names = await knownNames(db, [...new Set(people)].slice(0, 1_000))
  const gatherer = createGatherer(limits)
  for (const each of waiting) {
    const approvers = each.approvers.map((user) => names[user] ?? user).join('、')
    const person = names[each.requester] ?? each.requester
    gatherer.add([each.code, each.tool, person, approvers, each.createdAt, each.expiresAt, each.chatName])
  }
  return gatherer.table(WAITING_COLUMNS)
}
