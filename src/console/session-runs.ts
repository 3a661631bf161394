/** Recent runs of a chat as the pages show them: folded from rows and log entries. */

import { clipText } from '../protocol/clip-text.ts'
import type { PlaygroundRun } from '../protocol/playground.ts'
import type { LogEntry } from '../protocol/session-log.ts'
import type { RunRow } from '../store/schema.ts'
import type { Db } from '../store/store.ts'

const RUNS_SHOWN = 20

type Step = PlaygroundRun['steps'][number]

/** One line about a call, from the tool's name and the model's arguments. */
export type TitleOf = (tool: string, args: string) => string

/** Runs of every session in the chat (topics included), newest first. */
export async function sessionRuns(db: Db, chat: string, titleOf: TitleOf): Promise<PlaygroundRun[]> {
  const rows = await db
    .selectFrom('runs')
    .selectAll()
    .where('session_id', '>=', `${chat}/`)
    .where('session_id', '<', `${chat}0`)
    .orderBy('started_at', 'desc')
    .limit(RUNS_SHOWN)
    .execute()
  return Promise.all(rows.map(async (row) => toRun(row, await entriesOf(db, row.id), titleOf)))
}

async function entriesOf(db: Db, runId: string): Promise<LogEntry[]> {
  const rows = await db
    .selectFrom('session_log')
    .select('payload')
    .where('run_id', '=', runId)
    .orderBy('id')
    .execute()
  return rows.map((row) => JSON.parse(row.payload) as LogEntry)
}

function toRun(row: RunRow, entries: readonly LogEntry[], titleOf: TitleOf): PlaygroundRun {
  return {
    id: row.id,
    state: row.state === 'suspended' ? 'waiting' : row.state,
    startedAt: row.started_at,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cachedTokens: row.cached_tokens,
    steps: stepsOf(entries, titleOf),
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
    ...(row.model === null ? {} : { model: row.model }),
    ...(row.cost === null ? {} : { cost: row.cost }),
    ...(row.currency === null ? {} : { currency: row.currency }),
    ...(row.reason === null ? {} : { reason: row.reason }),
  }
}

function stepsOf(entries: readonly LogEntry[], titleOf: TitleOf): Step[] {
  const steps = new Map<string, Step>()
  for (const entry of entries) {
    if (entry.type === 'assistant') {
      for (const call of entry.toolCalls) {
        steps.set(call.id, {
          callId: call.id,
          tool: call.name,
          title: oneLine(titleOf(call.name, call.arguments)),
          status: 'running',
        })
      }
    }
    if (entry.type === 'ask') change(steps, entry.callId, { status: 'waiting' })
    if (entry.type === 'intent') change(steps, entry.callId, { status: 'running' })
    if (entry.type === 'result') {
      const status = entry.ok ? 'ok' : entry.error?.type === 'denied' ? 'denied' : 'failed'
      change(steps, entry.callId, { status, ms: entry.ms })
    }
  }
  return [...steps.values()]
}

function change(steps: Map<string, Step>, callId: string, next: Partial<Step>): void {
  const step = steps.get(callId)
  if (step) steps.set(callId, { ...step, ...next })
}

function oneLine(text: string): string {
  return clipText(text.replace(/\s+/g, ' ').trim(), 120)
}
