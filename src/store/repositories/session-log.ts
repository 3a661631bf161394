/** The append-only log. An append carries the writer's fence; a stale fence is refused. */
import type { UserKey } from '../../protocol/address.ts'
import { AppError } from '../../protocol/errors.ts'
import type { LogEntry, StoredEntry } from '../../protocol/session-log.ts'
import type { Db } from '../store.ts'

export interface LogWriter {
  readonly sessionId: string
  readonly epoch: number
  readonly runId: string
  readonly fence: number
}

/** Appends one entry if the writer still holds the lease; rejects with `session.lease_lost` otherwise. */
export async function appendEntry(
  db: Db,
  writer: LogWriter,
  entry: LogEntry,
  now: number,
): Promise<StoredEntry> {
  const row = await db
    .insertInto('session_log')
    .columns(['session_id', 'epoch', 'run_id', 'fence', 'type', 'payload', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom('sessions')
        .select((s) => [
          'sessions.id',
          s.val(writer.epoch).as('epoch'),
          s.val(writer.runId).as('run_id'),
          s.val(writer.fence).as('fence'),
          s.val(entry.type).as('type'),
          s.val(JSON.stringify(entry)).as('payload'),
          s.val(now).as('created_at'),
        ])
        .where('sessions.id', '=', writer.sessionId)
        .where('sessions.fence', '=', writer.fence)
        .where('sessions.lease_owner', 'is not', null),
    )
    .returning('id')
    .executeTakeFirst()
  if (!row) {
    throw new AppError('session.lease_lost', `another worker took over session ${writer.sessionId}`, {
      hint: 'Nothing to do: the other worker goes on from the log.',
    })
  }
  return { seq: row.id, at: now, runId: writer.runId, entry }
}

/** Entries of one conversation, in order, from `after` (exclusive) on. */
export async function readEntries(
  db: Db,
  sessionId: string,
  epoch: number,
  after = 0,
): Promise<StoredEntry[]> {
  const rows = await db
    .selectFrom('session_log')
    .select(['id', 'run_id', 'payload', 'created_at'])
    .where('session_id', '=', sessionId)
    .where('epoch', '=', epoch)
    .where('id', '>', after)
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    seq: row.id,
    at: row.created_at,
    runId: row.run_id,
    entry: JSON.parse(row.payload) as LogEntry,
  }))
}

/** Whose words an entry brings into its run. */
export function peopleOf(entry: LogEntry): UserKey[] {
  if (entry.type !== 'user') return []
  return entry.messages.flatMap((message) => [message.user, ...(message.others ?? [])])
}

/** Everybody whose messages a run has taken, in order of appearance; summaries hide nobody. */
export async function readPeople(db: Db, sessionId: string, runId: string): Promise<UserKey[]> {
  const rows = await db
    .selectFrom('session_log')
    .select('payload')
    .where('session_id', '=', sessionId)
    .where('run_id', '=', runId)
    .where('type', '=', 'user')
    .orderBy('id')
    .execute()
  return [...new Set(rows.flatMap((row) => peopleOf(JSON.parse(row.payload) as LogEntry)))]
}

/**
 * Entries that are still context: from the newest summary's kept tail on. The summary itself comes
 * first, so that a fold meets it before what it did not swallow.
 */
export async function readContext(db: Db, sessionId: string, epoch: number): Promise<StoredEntry[]> {
  const summary = await db
    .selectFrom('session_log')
    .select(['id', 'payload'])
    .where('session_id', '=', sessionId)
    .where('epoch', '=', epoch)
    .where('type', '=', 'summary')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!summary) return readEntries(db, sessionId, epoch)
  const { after } = JSON.parse(summary.payload) as { after: number }
  return readEntries(db, sessionId, epoch, after)
}
