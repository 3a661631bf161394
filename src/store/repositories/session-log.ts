/** The append-only log. An append carries the writer's fence; a stale fence is refused. */
import type { UserKey } from '../../protocol/address.ts'
import { AppError } from '../../protocol/errors.ts'
import type { LogEntry, StoredEntry } from '../../protocol/session-log.ts'
import { prepare } from '../prepared.ts'
import type { Db } from '../store.ts'

/** Who appends: the run, in which conversation (`epoch`), under which lease (`fence`). */
export interface LogWriter {
  readonly sessionId: string
  readonly epoch: number
  readonly runId: string
  readonly fence: number
}

interface Appended {
  readonly sessionId: string
  readonly epoch: number
  readonly runId: string
  readonly fence: number
  readonly type: string
  readonly payload: string
  readonly now: number
}

const append = prepare((db, p: Appended) =>
  db
    .insertInto('session_log')
    .columns(['session_id', 'epoch', 'run_id', 'fence', 'type', 'payload', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom('sessions')
        .select((s) => [
          'sessions.id',
          s.val(p.epoch).as('epoch'),
          s.val(p.runId).as('run_id'),
          s.val(p.fence).as('fence'),
          s.val(p.type).as('type'),
          s.val(p.payload).as('payload'),
          s.val(p.now).as('created_at'),
        ])
        .where('sessions.id', '=', p.sessionId)
        .where('sessions.fence', '=', p.fence)
        .where('sessions.lease_owner', 'is not', null),
    )
    .returning('id'),
)

/** Appends one entry if the writer still holds the lease; rejects with `session.lease_lost` otherwise. */
export async function appendEntry(
  db: Db,
  writer: LogWriter,
  entry: LogEntry,
  now: number,
): Promise<StoredEntry> {
  const { sessionId, epoch, runId, fence } = writer
  const payload = JSON.stringify(entry)
  const row = await append.first(db, { sessionId, epoch, runId, fence, type: entry.type, payload, now })
  if (!row) {
    throw new AppError('session.lease_lost', `another worker took over session ${writer.sessionId}`, {
      hint: 'Nothing to do: the other worker goes on from the log.',
    })
  }
  return { seq: row.id, at: now, runId: writer.runId, entry }
}

const entriesAfter = prepare((db, p: { sessionId: string; epoch: number; after: number }) =>
  db
    .selectFrom('session_log')
    .select(['id', 'run_id', 'payload', 'created_at'])
    .where('session_id', '=', p.sessionId)
    .where('epoch', '=', p.epoch)
    .where('id', '>', p.after)
    .orderBy('id'),
)

/** Entries of one conversation, in order, from `after` (exclusive) on. */
export async function readEntries(
  db: Db,
  sessionId: string,
  epoch: number,
  after = 0,
): Promise<StoredEntry[]> {
  const rows = await entriesAfter.all(db, { sessionId, epoch, after })
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

const userEntries = prepare((db, p: { sessionId: string; runId: string }) =>
  db
    .selectFrom('session_log')
    .select('payload')
    .where('session_id', '=', p.sessionId)
    .where('run_id', '=', p.runId)
    .where('type', '=', 'user')
    .orderBy('id'),
)

/** Everybody whose messages a run has taken, in order of appearance; summaries hide nobody. */
export async function readPeople(db: Db, sessionId: string, runId: string): Promise<UserKey[]> {
  const rows = await userEntries.all(db, { sessionId, runId })
  return [...new Set(rows.flatMap((row) => peopleOf(JSON.parse(row.payload) as LogEntry)))]
}

const newestSummary = prepare((db, p: { sessionId: string; epoch: number }) =>
  db
    .selectFrom('session_log')
    .select(['id', 'payload'])
    .where('session_id', '=', p.sessionId)
    .where('epoch', '=', p.epoch)
    .where('type', '=', 'summary')
    .orderBy('id', 'desc')
    .limit(1),
)

/**
 * Entries that are still context: from the newest summary's kept tail on. The summary itself comes
 * first, so that a fold meets it before what it did not swallow.
 */
export async function readContext(db: Db, sessionId: string, epoch: number): Promise<StoredEntry[]> {
  const summary = await newestSummary.first(db, { sessionId, epoch })
  if (!summary) return readEntries(db, sessionId, epoch)
  const { after } = JSON.parse(summary.payload) as { after: number }
  return readEntries(db, sessionId, epoch, after)
}
