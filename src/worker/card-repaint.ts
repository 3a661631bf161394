/** Replaces the card of a settled approval, so that it no longer offers buttons, wherever its sending stands. */
import { NOTICE_DEADLINE_MS } from '../outbound/deadlines.ts'
import type { Outbox } from '../outbound/outbox.ts'
import type { Adapter } from '../protocol/adapter.ts'
import type { Address } from '../protocol/address.ts'
import type { Card } from '../protocol/card.ts'
import type { Clock } from '../protocol/ports.ts'
import { findMail, parseSent, withdrawMail } from '../store/repositories/outbox.ts'
import type { ApprovalRow } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import type { WorkerDeps } from './deps.ts'

interface RepaintDeps {
  readonly store: Pick<Store, 'db'>
  readonly outbox: Pick<Outbox, 'put' | 'flush'>
  readonly clock: Pick<Clock, 'now'>
}

/** Sees to the card of an approval that a run asked for; see {@link showSettled}. */
export function repaintCard(
  deps: RepaintDeps & Pick<WorkerDeps, 'faces'>,
  adapter: Adapter,
  row: ApprovalRow,
  runId: string,
): Promise<void> {
  return showSettled(deps, adapter, row, { card: deps.faces.decided(row, adapter), ref: `live:${runId}` })
}

/**
 * A card that nobody has begun to send is not sent. One that is being sent, or may have arrived, is changed right
 * behind its sending, because the rows of a chat leave in order. Repeating it changes nothing more; a card that was
 * given up, or that the platform cannot change, is left alone.
 */
export async function showSettled(
  { store, outbox, clock }: RepaintDeps,
  adapter: Pick<Adapter, 'capabilities'>,
  row: Pick<ApprovalRow, 'id' | 'session_id'>,
  { card, ref }: { readonly card: Card; readonly ref: string },
): Promise<void> {
  const { cardsUpdatable } = adapter.capabilities
  const mail = await findMail(store.db, `card:${row.id}`)
  if (!mail || mail.state === 'failed' || mail.state === 'unknown') return
  // A try that failed may have arrived: where cards can be changed, the next one finds the message again.
  const isUnsent = mail.state === 'pending' && (mail.attempts === 0 || !cardsUpdatable)
  if (isUnsent && (await withdrawMail(store.db, mail))) return
  if (!cardsUpdatable) return
  const sent = parseSent(mail)
  const stillTried = sent ? 0 : Math.max(0, mail.deadline - clock.now())
  await outbox.put(store.db, {
    key: `d-${row.id}`,
    address: JSON.parse(mail.address) as Address,
    sessionId: row.session_id,
    ref,
    priority: 'low',
    deadlineMs: NOTICE_DEADLINE_MS + stillTried,
    payload: { message: { type: 'card', card }, ...(sent ? { update: sent } : { updateOf: mail.key }) },
  })
  outbox.flush(mail.chat_key)
}
