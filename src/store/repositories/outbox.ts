/** Messages on their way out. A row is written with the decision to send and closed by the platform's answer. */
import type { Updateable } from 'kysely'
import { type Address, chatKey } from '../../protocol/address.ts'
import type { OutboundMessage, SentMessage } from '../../protocol/outbound.ts'
import type { OutboxRow } from '../schema.ts'
import type { Db } from '../store.ts'
import type { OutboxTable } from '../tables/delivery.ts'

/** What a row asks for: a new message, or a new content of a sent one. */
export interface OutboxPayload {
  readonly message: OutboundMessage
  /** Replaces the content of this message instead of making a new one. */
  readonly update?: SentMessage
  /** Put into the run's live message if it has one, else sent. */
  readonly intoRun?: string
  /** Shown twice it does less harm than not at all: sent again when nobody knows whether it arrived. */
  readonly repeatable?: true
}

export interface NewOutboxRow {
  readonly key: string
  readonly address: Address
  readonly sessionId?: string
  readonly ref: string
  readonly payload: OutboxPayload
  readonly priority: 'high' | 'low'
  /** How long the outbox keeps trying, milliseconds from now. */
  readonly deadlineMs: number
}

/** Queues a message; a key that is already there is left alone, so that a repeated decision sends once. */
export async function insertOutbox(db: Db, row: NewOutboxRow, now: number): Promise<void> {
  await db
    .insertInto('outbox')
    .values({
      key: row.key,
      chat_key: chatKey(row.address),
      session_id: row.sessionId ?? null,
      bot_id: row.address.botId,
      address: JSON.stringify(row.address),
      ref: row.ref,
      payload: JSON.stringify(row.payload),
      priority: row.priority,
      state: 'pending',
      attempts: 0,
      owner: null,
      next_at: now,
      deadline: now + row.deadlineMs,
      prepared: null,
      sent: null,
      error: null,
      created_at: now,
      sent_at: null,
    })
    .onConflict((oc) => oc.column('key').doNothing())
    .execute()
}

/** Chats that have messages to send, or one that somebody was sending. */
export async function chatsWithMail(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('outbox')
    .select('chat_key')
    .distinct()
    .where('sent_at', 'is', null)
    .where('state', 'in', ['pending', 'sending'])
    .execute()
  return rows.map((row) => row.chat_key)
}

/** The chat's oldest open row but those set `aside`: the only one that may be sent. */
export async function nextMail(
  db: Db,
  chat: string,
  aside: readonly number[] = [],
): Promise<OutboxRow | undefined> {
  return db
    .selectFrom('outbox')
    .selectAll()
    .where('chat_key', '=', chat)
    .where('sent_at', 'is', null)
    .where('state', 'in', ['pending', 'sending'])
    .$if(aside.length > 0, (query) => query.where('id', 'not in', [...aside]))
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

/** One process's turn with a row: what it writes later holds only while nobody took the row over. */
export type Claim = Pick<OutboxRow, 'id' | 'owner' | 'attempts'>

/** Takes a pending row for sending; undefined when another process was faster. */
export async function claimMail(db: Db, id: number, owner: string): Promise<OutboxRow | undefined> {
  return db
    .updateTable('outbox')
    .set((eb) => ({ state: 'sending' as const, owner, attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .returningAll()
    .executeTakeFirst()
}

export async function markPrepared(db: Db, id: number, handle: SentMessage['handle']): Promise<void> {
  await db
    .updateTable('outbox')
    .set({ prepared: JSON.stringify(handle) })
    .where('id', '=', id)
    .execute()
}

/** The platform has it. False when the claim is not good any more. */
export function markSent(db: Db, claim: Claim, sent: SentMessage, now: number): Promise<boolean> {
  return settle(db, claim, { state: 'sent', sent: JSON.stringify(sent), sent_at: now, error: null })
}

/** Tried again at `nextAt`. False when the claim is not good any more. */
export function markRetry(db: Db, claim: Claim, nextAt: number, error: object): Promise<boolean> {
  return settle(db, claim, { state: 'pending', owner: null, next_at: nextAt, error: JSON.stringify(error) })
}

/** Closes a row without success. `unknown`: it may have been sent, and is never sent again. */
export function markLost(db: Db, claim: Claim, state: 'failed' | 'unknown', error: object): Promise<boolean> {
  return settle(db, claim, { state, error: JSON.stringify(error) })
}

/** Changes a row that is being sent, if the claim is still the newest. */
async function settle(db: Db, claim: Claim, change: Updateable<OutboxTable>): Promise<boolean> {
  const result = await db
    .updateTable('outbox')
    .set(change)
    .where('id', '=', claim.id)
    .where('state', '=', 'sending')
    .where('attempts', '=', claim.attempts)
    .where('owner', claim.owner === null ? 'is' : '=', claim.owner)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

export async function findMail(db: Db, ref: string): Promise<OutboxRow | undefined> {
  return db.selectFrom('outbox').selectAll().where('ref', '=', ref).orderBy('id').executeTakeFirst()
}

export async function findMailByKey(db: Db, key: string): Promise<OutboxRow | undefined> {
  return db.selectFrom('outbox').selectAll().where('key', '=', key).executeTakeFirst()
}

export function parseSent(row: Pick<OutboxRow, 'sent'>): SentMessage | undefined {
  return row.sent === null ? undefined : (JSON.parse(row.sent) as SentMessage)
}
