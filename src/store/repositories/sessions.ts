/** Sessions and their leases. A lease is a row: whoever holds it may write, proven by the fence. */
import { sql } from 'kysely'
import { type Address, sessionKey } from '../../protocol/address.ts'
import { createComposedStatement } from '../composed-statement.ts'
import { prepare } from '../prepared.ts'
import { GUESTS } from '../presence.ts'
import type { SessionRow } from '../schema.ts'
import type { Db } from '../store.ts'

/** Creates the rows of sessions that are new. */
export async function insertSessions(db: Db, addresses: readonly Address[], now: number): Promise<void> {
  await db
    .insertInto('sessions')
    .values(addresses.map((address) => newSession(address, now)))
    .onConflict((oc) => oc.column('id').doNothing())
    .execute()
}

/** Creates the session's row if it is new, and returns it. */
export async function ensureSession(db: Db, address: Address, now: number): Promise<SessionRow> {
  await insertSessions(db, [address], now)
  return db.selectFrom('sessions').selectAll().where('id', '=', sessionKey(address)).executeTakeFirstOrThrow()
}

/** Creates the row of a session whose key is not its address's own: a remote caller's. One that is there stays. */
export async function ensureNamedSession(db: Db, id: string, address: Address, now: number): Promise<void> {
  await db
    .insertInto('sessions')
    .values({ ...newSession(address, now), id })
    .onConflict((oc) => oc.column('id').doNothing())
    .execute()
}

/** Begins a new conversation in a session whose key is not its address's own: a schedule's. */
export async function openFreshSession(db: Db, id: string, address: Address, now: number): Promise<void> {
  await db
    .insertInto('sessions')
    .values({ ...newSession(address, now), id })
    .onConflict((oc) =>
      oc.column('id').doUpdateSet((eb) => ({
        bot_id: address.botId,
        chat_id: address.chatId,
        chat_type: address.chatType,
        thread_id: address.threadId ?? null,
        epoch: eb('sessions.epoch', '+', 1),
        stop_requested: 0,
        grants: '[]',
        closed_reason: null,
        wait_until: 0,
        updated_at: now,
      })),
    )
    .execute()
}

function newSession(address: Address, now: number): SessionRow {
  return {
    id: sessionKey(address),
    bot_id: address.botId,
    chat_id: address.chatId,
    chat_type: address.chatType,
    thread_id: address.threadId ?? null,
    epoch: 0,
    model: null,
    lease_owner: null,
    lease_until: 0,
    fence: 0,
    stop_requested: 0,
    compact_requested: 0,
    wait_until: 0,
    grants: '[]',
    closed_reason: null,
    created_at: now,
    updated_at: now,
  }
}

const byId = prepare((db, p: { id: string }) => db.selectFrom('sessions').selectAll().where('id', '=', p.id))

/** Closed ones too. */
export function findSession(db: Db, id: string): Promise<SessionRow | undefined> {
  return byId.first(db, { id })
}

/** Sessions of a chat, topics included. */
export async function sessionsOfChat(db: Db, botId: string, chatId: string): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('bot_id', '=', botId)
    .where('chat_id', '=', chatId)
    .execute()
}

/**
 * Sessions of chats that were gone by `before`; ids. A chat in which a session has been opened since is not
 * gone, whatever its row says: messages prove that the bot is back, events about it may be lost.
 */
export async function sessionsOfGoneChats(db: Db, before: number): Promise<string[]> {
  const rows = await db
    .selectFrom('chats')
    .innerJoin('sessions', (join) =>
      join.onRef('sessions.bot_id', '=', 'chats.bot_id').onRef('sessions.chat_id', '=', 'chats.chat_id'),
    )
    .select('sessions.id')
    .where('chats.state', 'in', ['removed', 'disbanded'])
    .where('chats.updated_at', '<=', before)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('sessions as open')
            .select('open.id')
            .whereRef('open.bot_id', '=', 'chats.bot_id')
            .whereRef('open.chat_id', '=', 'chats.chat_id')
            .where('open.closed_reason', 'is', null),
        ),
      ),
    )
    .execute()
  return rows.map((row) => row.id)
}

/** Sessions that are not closed. */
export function openSessions(db: Db): Promise<Pick<SessionRow, 'id' | 'bot_id'>[]> {
  return db.selectFrom('sessions').select(['id', 'bot_id']).where('closed_reason', 'is', null).execute()
}

/**
 * Where a person can be told something: the direct chat with one of these bots in which he asked for something
 * last. Undefined when there is none that is still open.
 */
export async function directChatOf(
  db: Db,
  user: string,
  bots: readonly string[],
): Promise<Address | undefined> {
  if (bots.length === 0) return undefined
  const row = await db
    .selectFrom('sessions')
    .innerJoin('runs', 'runs.session_id', 'sessions.id')
    .select(['sessions.bot_id', 'sessions.chat_id'])
    .where('sessions.chat_type', '=', 'direct')
    .where('sessions.closed_reason', 'is', null)
    .where('sessions.bot_id', 'in', [...bots])
    .where('runs.requester', '=', user)
    .orderBy('runs.started_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && { botId: row.bot_id, chatId: row.chat_id, chatType: 'direct' }
}

const acquire = prepare((db, p: { id: string; owner: string; now: number; until: number }) =>
  db
    .updateTable('sessions')
    .set((eb) => ({
      lease_owner: p.owner,
      lease_until: p.until,
      fence: eb('fence', '+', 1),
      updated_at: p.now,
    }))
    .where('id', '=', p.id)
    .where((eb) => eb.or([eb('lease_owner', 'is', null), eb('lease_until', '<=', p.now)]))
    .returningAll(),
)

/** Takes the lease if it is free or past, raising the fence; undefined when somebody else holds it. */
export function acquireLease(
  db: Db,
  id: string,
  owner: string,
  now: number,
  ttlMs: number,
): Promise<SessionRow | undefined> {
  return acquire.first(db, { id, owner, now, until: now + ttlMs })
}

const renew = prepare((db, p: { id: string; fence: number; until: number }) =>
  db
    .updateTable('sessions')
    .set({ lease_until: p.until })
    .where('id', '=', p.id)
    .where('fence', '=', p.fence)
    .where('lease_owner', 'is not', null)
    .returning('stop_requested'),
)

/** Holds the lease longer and reads what others asked of the holder; undefined when it was lost. */
export async function renewLease(
  db: Db,
  lease: { id: string; fence: number },
  now: number,
  ttlMs: number,
): Promise<{ stopRequested: boolean } | undefined> {
  const row = await renew.first(db, { ...lease, until: now + ttlMs })
  return row && { stopRequested: row.stop_requested !== 0 }
}

const release = prepare((db, p: { id: string; fence: number }) =>
  db
    .updateTable('sessions')
    .set({ lease_owner: null, lease_until: 0 })
    .where('id', '=', p.id)
    .where('fence', '=', p.fence),
)

/** Does nothing when the lease is not of this fence any more. */
export async function releaseLease(db: Db, lease: { id: string; fence: number }): Promise<void> {
  await release.run(db, lease)
}

const stopRequest = prepare((db, p: { id: string; requested: number }) =>
  db.updateTable('sessions').set({ stop_requested: p.requested }).where('id', '=', p.id),
)

/** Asks the running worker, wherever it is, to stop the session's run. */
export async function setStopRequested(db: Db, id: string, requested: boolean): Promise<void> {
  await stopRequest.run(db, { id, requested: requested ? 1 : 0 })
}

/** Asks the next run to sum the conversation up first, or says that it did. */
export async function setCompactRequested(db: Db, id: string, requested: boolean): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ compact_requested: requested ? 1 : 0 })
    .where('id', '=', id)
    .execute()
}

/** Begins a new conversation: older entries stay in the log but are no longer context. */
export async function raiseEpoch(db: Db, id: string, now: number): Promise<void> {
  await db
    .updateTable('sessions')
    .set((eb) => ({ epoch: eb('epoch', '+', 1), grants: '[]', updated_at: now }))
    .where('id', '=', id)
    .execute()
}

/** Name of a profile; null goes back to the default. */
export async function setSessionModel(db: Db, id: string, model: string | null): Promise<void> {
  await db.updateTable('sessions').set({ model }).where('id', '=', id).execute()
}

/** Lets a suspended run sleep: it is not woken before `until`; 0 ends the sleep. */
export async function setWaitUntil(db: Db, id: string, until: number): Promise<void> {
  await db.updateTable('sessions').set({ wait_until: until }).where('id', '=', id).execute()
}

/** Marks a session as over because its chat is gone; null opens it again. */
export async function setSessionClosed(db: Db, id: string, reason: string | null): Promise<void> {
  await db.updateTable('sessions').set({ closed_reason: reason }).where('id', '=', id).execute()
}

/** Opens those of these sessions again that were closed; the others are not touched. */
export function createReopening(): (db: Db, ids: readonly string[]) => Promise<unknown> {
  return createComposedStatement(
    (db, ids: readonly string[]) =>
      db
        .updateTable('sessions')
        .set({ closed_reason: sql<null>`null` })
        .where('id', 'in', [...ids])
        .where('closed_reason', 'is not', null)
        .compile(),
    (id) => [id],
  )
}

/** Sessions whose run was cut off: a lease that is past, a run that still says `running`. */
export async function sessionsCutOff(db: Db, now: number): Promise<string[]> {
  const rows = await db
    .selectFrom('runs')
    .innerJoin('sessions', 'sessions.id', 'runs.session_id')
    .select('sessions.id')
    .where('runs.ended_at', 'is', null)
    .where('runs.state', '=', 'running')
    .where((eb) => eb.or([eb('sessions.lease_owner', 'is', null), eb('sessions.lease_until', '<=', now)]))
    .limit(1_000)
    .execute()
  return rows.map((row) => row.id)
}

/**
 * Gives back the leases, locks and half-rendered reports of a process that is known to be dead: the
 * embedded store belongs to one service, and this one holds its folder. Guests beside it are not dead for that.
 */
export async function releaseAllLeases(db: Db): Promise<void> {
  await db.deleteFrom('locks').where('name', 'not like', GUESTS).execute()
  // Past, not 0: that the slot is a report's must still be seen.
  await db
    .updateTable('schedule_slots')
    .set({ claimed_until: 1 })
    .where('claimed_until', '>', 1)
    .where('ended_at', 'is', null)
    .execute()
  await db
    .updateTable('sessions')
    .set({ lease_owner: null, lease_until: 0 })
    .where('lease_owner', 'is not', null)
    .execute()
}
