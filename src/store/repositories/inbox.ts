/** Events as they were acknowledged. A row in state `waiting` is work that nobody has taken. */
import { createComposedStatement } from '../composed-statement.ts'
import { gather } from '../gathered.ts'
import { prepare } from '../prepared.ts'
import type { InboxRow } from '../schema.ts'
import type { Db } from '../store.ts'

/** An event that is to be acknowledged. `dedupe` is the key under which a second delivery is known for seven days. */
export interface NewInboxRow {
  readonly dedupe: string
  readonly sessionId: string
  readonly botId: string
  readonly kind: 'message' | 'command' | 'event'
  readonly state: 'waiting' | 'dropped'
  readonly payload: string
  /** What a message says; a row with the same is the same message under other ids. */
  readonly fingerprint?: string
  readonly receivedAt: number
}

/**
 * Inserts rows in one statement, so that they share one disk flush. Returns the id of each new row
 * by its dedupe key; a key, or a content, that was seen before is absent.
 */
export async function insertInbox(db: Db, rows: readonly NewInboxRow[]): Promise<Map<string, number>> {
  const inserted = await insertion(db, rows).execute()
  return new Map(inserted.map((row) => [row.dedupe, row.id]))
}

function insertion(db: Db, rows: readonly NewInboxRow[]) {
  return db
    .insertInto('inbox')
    .values(rows.map(columnsOf))
    .onConflict((oc) => oc.doNothing())
    .returning(['id', 'dedupe'])
}

/** Every column of every row, so that the order of a statement's parameters is the order here. */
function columnsOf(row: NewInboxRow) {
  return {
    dedupe: row.dedupe,
    session_id: row.sessionId,
    bot_id: row.botId,
    kind: row.kind,
    state: row.state,
    payload: row.payload,
    fingerprint: row.fingerprint ?? null,
    received_at: row.receivedAt,
  }
}

/** {@link insertInbox} for the way of every event, any number at a time, in a transaction of the caller. */
export function createInboxInsert(): (db: Db, rows: readonly NewInboxRow[]) => Promise<Map<string, number>> {
  const insert = createComposedStatement(
    (db, rows: readonly NewInboxRow[]) => insertion(db, rows).compile(),
    (row) => Object.values(columnsOf(row)),
  )
  return async (db, rows) => new Map((await insert(db, rows)).map((row) => [row.dedupe, row.id]))
}

/** Messages of a session that nobody has taken, oldest first. */
export const waitingMessages: (db: Db, sessionId: string) => Promise<InboxRow[]> = gather(
  (db, sessionIds) =>
    db
      .selectFrom('inbox')
      .selectAll()
      .where('session_id', 'in', [...sessionIds])
      .where('state', '=', 'waiting')
      .where('kind', '=', 'message')
      .orderBy('id'),
  (row) => row.session_id,
)

const commands = prepare((db) =>
  db
    .selectFrom('inbox')
    .selectAll()
    .where('state', '=', 'waiting')
    .where('kind', '!=', 'message')
    .orderBy('id')
    .limit(500),
)

/** Commands that were acknowledged but not carried out, of every session. */
export function waitingCommands(db: Db): Promise<InboxRow[]> {
  return commands.all(db, {})
}

const withWork = prepare((db) =>
  db
    .selectFrom('inbox')
    .select('session_id')
    .distinct()
    .where('state', '=', 'waiting')
    .where('kind', '=', 'message')
    .limit(1_000),
)

/** Sessions that have waiting messages. */
export async function sessionsWithWork(db: Db): Promise<string[]> {
  const rows = await withWork.all(db, {})
  return rows.map((row) => row.session_id)
}

const close = prepare((db, p: { id: number; state: 'taken' | 'dropped' }) =>
  db.updateTable('inbox').set({ state: p.state }).where('id', '=', p.id).where('state', '=', 'waiting'),
)

/** Marks rows as taken or dropped; returns how many were still waiting. */
export async function closeInbox(
  db: Db,
  ids: readonly number[],
  state: 'taken' | 'dropped',
): Promise<number> {
  const [id, second] = ids
  if (id === undefined) return 0
  if (second === undefined) return close.run(db, { id, state })
  const result = await db
    .updateTable('inbox')
    .set({ state })
    .where('id', 'in', [...ids])
    .where('state', '=', 'waiting')
    .executeTakeFirst()
  return Number(result.numUpdatedRows)
}

/** What was taken for a command, and is none, waits as a message. */
export async function returnToMessages(db: Db, id: number): Promise<void> {
  await db
    .updateTable('inbox')
    .set({ kind: 'message' })
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .execute()
}

const byKey = prepare((db, p: { dedupe: string }) =>
  db.selectFrom('inbox').selectAll().where('dedupe', '=', p.dedupe),
)

/** Finds an event by its dedupe key. */
export function findInbox(db: Db, dedupe: string): Promise<InboxRow | undefined> {
  return byKey.first(db, { dedupe })
}

/** Forgets closed rows older than `before`; they only served the dedupe. */
export async function pruneInbox(db: Db, before: number): Promise<void> {
  await db.deleteFrom('inbox').where('received_at', '<', before).where('state', '!=', 'waiting').execute()
}

/** When anything last came from the bot; old events are forgotten, sessions are not. */
export async function lastHeard(db: Db, botId: string): Promise<number | undefined> {
  const event = await db
    .selectFrom('inbox')
    .select((eb) => eb.fn.max('received_at').as('at'))
    .where('bot_id', '=', botId)
    .executeTakeFirst()
  if (event?.at) return Number(event.at)
  const session = await db
    .selectFrom('sessions')
    .select((eb) => eb.fn.max('updated_at').as('at'))
    .where('bot_id', '=', botId)
    .executeTakeFirst()
  return session?.at ? Number(session.at) : undefined
}
