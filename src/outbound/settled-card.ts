/** Replaces a card whose question is settled, so that it no longer offers buttons, wherever its sending stands. */
import type { Adapter } from '../protocol/adapter.ts'
import type { Address } from '../protocol/address.ts'
import type { Card } from '../protocol/card.ts'
import type { Clock } from '../protocol/ports.ts'
import { findMail, parseSent, withdrawMail } from '../store/repositories/outbox.ts'
import type { OutboxRow } from '../store/schema.ts'
import type { Db, Store } from '../store/store.ts'
import { NOTICE_DEADLINE_MS } from './deadlines.ts'
import type { Outbox } from './outbox.ts'

/** What a card needs to be changed; `outbox` must be that of the bot of its chat or of all bots. */
export interface SettledDeps {
  readonly outbox: Pick<Outbox, 'put' | 'flush'>
  readonly clock: Pick<Clock, 'now'>
}

export interface SettledCard {
  /** What the outbox knows the card by that asked: the `ref` of its row. */
  readonly asked: string
  /** Key of the row that changes it; a second one with this key changes nothing. */
  readonly key: string
  /** The `ref` of the row that changes it. */
  readonly ref: string
  /** What it shows from now on. */
  readonly card: Card
}

/**
 * A card that nobody has begun to send is not sent. One that is being sent, or may have arrived, is changed right
 * behind its sending, because the rows of a chat leave in order. Repeating it changes nothing more; a card that was
 * given up, or that the platform cannot change, is left alone.
 */
export async function showSettled(
  deps: SettledDeps & { readonly store: Pick<Store, 'db'> },
  adapter: Pick<Adapter, 'capabilities'>,
  settled: SettledCard,
): Promise<void> {
  const mail = await putSettled(deps.store.db, deps, adapter, settled)
  if (mail) deps.outbox.flush(mail.chat_key)
}

/**
 * The same inside the caller's transaction.
 * @returns the row that asked, when something is to be sent: call {@link Outbox.flush} for its chat after the commit
 */
export async function putSettled(
  db: Db,
  { outbox, clock }: SettledDeps,
  { capabilities: { cardsUpdatable } }: Pick<Adapter, 'capabilities'>,
  { asked, key, ref, card }: SettledCard,
): Promise<OutboxRow | undefined> {
  const mail = await findMail(db, asked)
  if (!mail || mail.state === 'failed' || mail.state === 'unknown') return undefined
  // A try that failed may have arrived: where cards can be changed, the next one finds the message again.
  const isUnsent = mail.state === 'pending' && (mail.attempts === 0 || !cardsUpdatable)
  if (isUnsent && (await withdrawMail(db, mail))) return undefined
  if (!cardsUpdatable) return undefined
  const sent = parseSent(mail)
  const stillTried = sent ? 0 : Math.max(0, mail.deadline - clock.now())
  await outbox.put(db, {
    key,
    address: JSON.parse(mail.address) as Address,
    ...(mail.session_id === null ? {} : { sessionId: mail.session_id }),
    ref,
    priority: 'low',
    deadlineMs: NOTICE_DEADLINE_MS + stillTried,
    payload: { message: { type: 'card', card }, ...(sent ? { update: sent } : { updateOf: mail.key }) },
  })
  return mail
}
