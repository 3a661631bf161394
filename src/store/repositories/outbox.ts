/** Messages on their way out. A row is written with the decision to send and closed by the platform's answer. */
import type { Updateable } from 'kysely'
import { type Address, chatKey } from '../../protocol/address.ts'
import type { OutboundMessage, SentMessage } from '../../protocol/outbound.ts'
import { prepare } from '../prepared.ts'
import type { OutboxRow } from '../schema.ts'
import type { Db } from '../store.ts'
import type { OutboxTable } from '../tables/delivery.ts'

/** What a row asks for: a new message, or a new content of a sent one. */
export interface OutboxPayload {
  readonly message: OutboundMessage
  /** Replaces the content of this message instead of making a new one. */
  readonly update?: SentMessage
  /**
   * Replaces the content of the message that the earlier row with this key sends into the same chat. Which message
   * that is, is read when this row's turn has come: the earlier one is closed by then. It sends nothing of its own.
   */
  readonly updateOf?: string
  /** Put into the run's live message if it has one, else sent. */
  readonly intoRun?: string
  /** Shown twice it does less harm than not at all: sent again when nobody knows whether it arrived. */
  readonly repeatable?: true
}

/** `key` makes queueing repeatable; `ref` names what the message is about, and may repeat. */
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

type Queued = Omit<
  OutboxRow,
  'id' | 'state' | 'attempts' | 'owner' | 'prepared' | 'sent' | 'error' | 'sent_at'
>

const insert = prepare((db, p: Queued) =>
  db
    .insertInto('outbox')
    .values({
      key: p.key,
      chat_key: p.chat_key,
      session_id: p.session_id,
      bot_id: p.bot_id,
      address: p.address,
      ref: p.ref,
      payload: p.payload,
      priority: p.priority,
      state: 'pending',
      attempts: 0,
      owner: null,
      next_at: p.next_at,
      deadline: p.deadline,
      prepared: null,
      sent: null,
      error: null,
      created_at: p.created_at,
      sent_at: null,
    })
    .onConflict((oc) => oc.column('key').doNothing()),
)

/** Queues a message; a key that is already there is left alone, so that a repeated decision sends once. */
export async function insertOutbox(db: Db, row: NewOutboxRow, now: number): Promise<void> {
  await insert.run(db, {
    key: row.key,
    chat_key: chatKey(row.address),
    session_id: row.sessionId ?? null,
    bot_id: row.address.botId,
    address: JSON.stringify(row.address),
    ref: row.ref,
    payload: JSON.stringify(row.payload),
    priority: row.priority,
    next_at: now,
    deadline: now + row.deadlineMs,
    created_at: now,
  })
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

const openOf = (db: Db, chat: string) =>
  db
    .selectFrom('outbox')
    .selectAll()
    .where('chat_key', '=', chat)
    .where('sent_at', 'is', null)
    .where('state', 'in', ['pending', 'sending'])
    .orderBy('id')
    .limit(1)

const next = prepare((db, p: { chat: string }) => openOf(db, p.chat))

/** The chat's oldest open row but those set `aside`: the only one that may be sent. */
export function nextMail(
  db: Db,
  chat: string,
  aside: readonly number[] = [],
): Promise<OutboxRow | undefined> {
  if (aside.length === 0) return next.first(db, { chat })
  return openOf(db, chat)
    .where('id', 'not in', [...aside])
    .executeTakeFirst()
}

/** One process's turn with a row: what it writes later holds only while nobody took the row over. */
export type Claim = Pick<OutboxRow, 'id' | 'owner' | 'attempts'>

const claim = prepare((db, p: { id: number; owner: string }) =>
  db
    .updateTable('outbox')
    .set((eb) => ({ state: 'sending' as const, owner: p.owner, attempts: eb('attempts', '+', 1) }))
    .where('id', '=', p.id)
    .where('state', '=', 'pending')
    .returningAll(),
)

/** Takes a pending row for sending; undefined when another process was faster. */
export function claimMail(db: Db, id: number, owner: string): Promise<OutboxRow | undefined> {
  return claim.first(db, { id, owner })
}

const prepared = prepare((db, p: { id: number; handle: string }) =>
  db.updateTable('outbox').set({ prepared: p.handle }).where('id', '=', p.id),
)

/** Written before the call that it prepares: a try after a crash is given it back. */
export async function markPrepared(db: Db, id: number, handle: SentMessage['handle']): Promise<void> {
  await prepared.run(db, { id, handle: JSON.stringify(handle) })
}

const arrived = prepare((db, p: Claim & { sent: string; now: number }) =>
  db
    .updateTable('outbox')
    .set({ state: 'sent', sent: p.sent, sent_at: p.now, error: null })
    .where('id', '=', p.id)
    .where('state', '=', 'sending')
    .where('attempts', '=', p.attempts)
    .where('owner', 'is not distinct from', p.owner),
)

/** The platform has it. False when the claim is not good any more. */
export async function markSent(db: Db, claim: Claim, sent: SentMessage, now: number): Promise<boolean> {
  return (await arrived.run(db, { ...claim, sent: JSON.stringify(sent), now })) > 0
}

/** Tried again at `nextAt`. False when the claim is not good any more. */
export function markRetry(db: Db, claim: Claim, nextAt: number, error: object): Promise<boolean> {
  return settle(db, claim, { state: 'pending', owner: null, next_at: nextAt, error: JSON.stringify(error) })
}

/** Closes a row without success. `unknown`: it may have been sent, and is never sent again. */
export function markLost(db: Db, claim: Claim, state: 'failed' | 'unknown', error: object): Promise<boolean> {
  return settle(db, claim, { state, error: JSON.stringify(error) })
}

/** Closes a row unsent that nobody is sending. False when a try has begun, or begun again, since it was read. */
export async function withdrawMail(
  db: Db,
  { id, attempts }: Pick<OutboxRow, 'id' | 'attempts'>,
): Promise<boolean> {
  const error = { code: 'outbox.withdrawn', message: 'what it asked was settled before it was sent' }
  const result = await db
    .updateTable('outbox')
    .set({ state: 'failed', error: JSON.stringify(error) })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where('attempts', '=', attempts)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
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

const byRef = prepare((db, p: { ref: string }) =>
  db.selectFrom('outbox').selectAll().where('ref', '=', p.ref).orderBy('id').limit(1),
)

/** The first message with this ref, whatever its state. */
export function findMail(db: Db, ref: string): Promise<OutboxRow | undefined> {
  return byRef.first(db, { ref })
}

const byKey = prepare((db, p: { key: string }) =>
  db.selectFrom('outbox').selectAll().where('key', '=', p.key),
)

/** Keys are unique: of two tries to queue the same message one row remains. */
export function findMailByKey(db: Db, key: string): Promise<OutboxRow | undefined> {
  return byKey.first(db, { key })
}

/** Undefined until the platform has said that it has the message. */
export function parseSent(row: Pick<OutboxRow, 'sent'>): SentMessage | undefined {
  return row.sent === null ? undefined : (JSON.parse(row.sent) as SentMessage)
}
