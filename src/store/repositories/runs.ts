/** Runs: one answer of the agent from the first message to the last word. */
import type { ExpressionBuilder } from 'kysely'
import type { Address } from '../../protocol/address.ts'
import type { SentMessage } from '../../protocol/outbound.ts'
import type { RunOutcome } from '../../protocol/session-log.ts'
import { prepare } from '../prepared.ts'
import type { Database, RunRow } from '../schema.ts'
import type { Db } from '../store.ts'

/** The evolving message of a run: sent, or only prepared when a crash came between. */
export interface LiveHandle {
  /** Rises with every fresh message of the run; part of the idempotency key. */
  readonly generation: number
  readonly prepared?: SentMessage['handle']
  readonly sent?: SentMessage
  /** The approval in whose card the run goes on. */
  readonly approvalId?: string
}

type Begun = Pick<RunRow, 'id' | 'session_id' | 'requester' | 'reply_to' | 'model' | 'started_at'>

const insert = prepare((db, p: Begun) =>
  db
    .insertInto('runs')
    .values({
      id: p.id,
      session_id: p.session_id,
      state: 'running',
      requester: p.requester,
      reply_to: p.reply_to,
      live: null,
      crashes: 0,
      steps: 0,
      input_tokens: 0,
      output_tokens: 0,
      cached_tokens: 0,
      cost: null,
      currency: null,
      model: p.model,
      reason: null,
      started_at: p.started_at,
      ended_at: null,
    })
    .returningAll(),
)

/** Begins a run in state `running`, with nothing spent; rejects when the id is taken. */
export async function insertRun(
  db: Db,
  run: { id: string; sessionId: string; requester: string; replyTo: string | undefined; model: string },
  now: number,
): Promise<RunRow> {
  const [row] = await insert.all(db, {
    id: run.id,
    session_id: run.sessionId,
    requester: run.requester,
    reply_to: run.replyTo ?? null,
    model: run.model,
    started_at: now,
  })
  if (!row) throw new Error(`the run ${run.id} was not stored`)
  return row
}

const openOf = prepare((db, p: { sessionId: string }) =>
  db
    .selectFrom('runs')
    .selectAll()
    .where('session_id', '=', p.sessionId)
    .where('ended_at', 'is', null)
    .orderBy('started_at'),
)

/** The session's run that is not over, if there is one. */
export function openRun(db: Db, sessionId: string): Promise<RunRow | undefined> {
  return openOf.first(db, { sessionId })
}

/** Sessions whose suspended run no longer waits for anybody: decided, expired, or asked to stop. */
export async function sessionsReadyToResume(db: Db, now: number): Promise<string[]> {
  const rows = await db
    .selectFrom('runs')
    .innerJoin('sessions', 'sessions.id', 'runs.session_id')
    .select('runs.session_id')
    .distinct()
    .where('runs.ended_at', 'is', null)
    .where('runs.state', '=', 'suspended')
    .where((eb) => eb.or([eb('sessions.wait_until', '<=', now), eb('sessions.stop_requested', '!=', 0)]))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('approvals')
            .select('approvals.id')
            .whereRef('approvals.session_id', '=', 'runs.session_id')
            .where('approvals.status', '=', 'pending'),
        ),
      ),
    )
    .limit(1_000)
    .execute()
  return rows.map((row) => row.session_id)
}

const byId = prepare((db, p: { id: string }) => db.selectFrom('runs').selectAll().where('id', '=', p.id))

/** Runs stay after their end; undefined for an unknown id. */
export function findRun(db: Db, id: string): Promise<RunRow | undefined> {
  return byId.first(db, { id })
}

/** Newest first. */
export async function recentRuns(db: Db, sessionId: string, limit: number): Promise<RunRow[]> {
  return db
    .selectFrom('runs')
    .selectAll()
    .where('session_id', '=', sessionId)
    .orderBy('started_at', 'desc')
    .limit(limit)
    .execute()
}

const stateChange = prepare((db, p: { id: string; state: 'running' | 'suspended' }) =>
  db.updateTable('runs').set({ state: p.state }).where('id', '=', p.id).where('ended_at', 'is', null),
)

/** Changes nothing in a run that has ended. */
export async function setRunState(db: Db, id: string, state: 'running' | 'suspended'): Promise<void> {
  await stateChange.run(db, { id, state })
}

/** Counts a crash and returns how many there were in a row. */
export async function countCrash(db: Db, id: string): Promise<number> {
  const row = await db
    .updateTable('runs')
    .set((eb) => ({ crashes: eb('crashes', '+', 1) }))
    .where('id', '=', id)
    .returning('crashes')
    .executeTakeFirst()
  return row?.crashes ?? 0
}

const crashesOver = prepare((db, p: { id: string }) =>
  db.updateTable('runs').set({ crashes: 0 }).where('id', '=', p.id).where('crashes', '>', 0),
)

/** Something went well: crashes are counted in a row. */
export async function clearCrashes(db: Db, id: string): Promise<void> {
  await crashesOver.run(db, { id })
}

interface UsageParameters {
  readonly id: string
  readonly input: number
  readonly output: number
  readonly cached: number
  readonly model: string
  readonly spent: number
  readonly from: number
}

function counted(eb: ExpressionBuilder<Database, 'runs'>, p: UsageParameters) {
  return {
    steps: eb('steps', '+', 1),
    input_tokens: eb('input_tokens', '+', p.input),
    output_tokens: eb('output_tokens', '+', p.output),
    cached_tokens: eb('cached_tokens', '+', p.cached),
    model: p.model,
    day_tokens: eb
      .case()
      .when('day_from', '>=', p.from)
      .then(eb('day_tokens', '+', p.spent))
      .else(p.spent)
      .end(),
    day_from: p.from,
  }
}

const uncosted = prepare((db, p: UsageParameters) =>
  db
    .updateTable('runs')
    .set((eb) => counted(eb, p))
    .where('id', '=', p.id),
)

const costed = prepare((db, p: UsageParameters & { cost: number; currency: string | null }) =>
  db
    .updateTable('runs')
    .set((eb) => ({
      ...counted(eb, p),
      cost: eb(eb.fn.coalesce('cost', eb.val(0)), '+', p.cost),
      currency: p.currency,
    }))
    .where('id', '=', p.id),
)

/** Counts a request for the run, and `spent` of its tokens for the day that began at `from`. */
export async function addUsage(
  db: Db,
  id: string,
  usage: {
    inputTokens: number
    outputTokens: number
    cachedTokens: number
    cost: number | undefined
    currency: string | undefined
    model: string
  },
  day: { from: number; spent: number },
): Promise<void> {
  const { inputTokens: input, outputTokens: output, cachedTokens: cached, cost, model } = usage
  const counts = { id, input, output, cached, model, ...day }
  if (cost === undefined) await uncosted.run(db, counts)
  else await costed.run(db, { ...counts, cost, currency: usage.currency ?? null })
}

const end = prepare((db, p: { id: string; state: RunRow['state']; reason: string | null; now: number }) =>
  db
    .updateTable('runs')
    .set({ state: p.state, reason: p.reason, ended_at: p.now })
    .where('id', '=', p.id)
    .where('ended_at', 'is', null),
)

/** The first end counts; a run that has ended keeps its outcome. */
export async function endRun(
  db: Db,
  id: string,
  outcome: RunOutcome,
  reason: string | undefined,
  now: number,
): Promise<void> {
  await end.run(db, { id, state: outcome, reason: reason ?? null, now })
}

const handle = prepare((db, p: { id: string; live: string }) =>
  db.updateTable('runs').set({ live: p.live }).where('id', '=', p.id),
)

/** Remembers the running message, so that the next process goes on in it. */
export async function setLive(db: Db, id: string, live: LiveHandle): Promise<void> {
  await handle.run(db, { id, live: JSON.stringify(live) })
}

/** Undefined when nothing of the run was shown yet. */
export function parseLive(row: Pick<RunRow, 'live'>): LiveHandle | undefined {
  return row.live === null ? undefined : (JSON.parse(row.live) as LiveHandle)
}

/** The group in which one of these people last asked for something, else last decided something; at most one. */
export async function lastGroupOf(db: Db, people: readonly string[]): Promise<Address[]> {
  if (people.length === 0) return []
  const groups = db
    .selectFrom('sessions')
    .select(['sessions.bot_id', 'sessions.chat_id'])
    .where('sessions.closed_reason', 'is', null)
    .where('sessions.chat_type', '=', 'group')
    .limit(1)
  const asked = groups
    .innerJoin('runs', 'runs.session_id', 'sessions.id')
    .where('runs.requester', 'in', [...people])
    .orderBy('runs.started_at', 'desc')
  const decided = groups
    .innerJoin('approvals', 'approvals.session_id', 'sessions.id')
    .where('approvals.decided_by', 'in', [...people])
    .orderBy('approvals.decided_at', 'desc')
  const row = (await asked.executeTakeFirst()) ?? (await decided.executeTakeFirst())
  return row ? [{ botId: row.bot_id, chatId: row.chat_id, chatType: 'group' }] : []
}
