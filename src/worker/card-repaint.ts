/** Replaces the card of a settled approval, so that it no longer offers buttons. */
import { UPDATE_DEADLINE_MS } from '../outbound/deadlines.ts'
import type { Adapter } from '../protocol/adapter.ts'
import type { Address } from '../protocol/address.ts'
import { findMail, parseSent } from '../store/repositories/outbox.ts'
import type { ApprovalRow } from '../store/schema.ts'
import type { WorkerDeps } from './deps.ts'

/** Queues the update; does nothing if the card was never sent or the platform cannot change cards. */
export async function repaintCard(
  deps: WorkerDeps,
  adapter: Adapter,
  row: ApprovalRow,
  runId: string,
): Promise<void> {
  if (!adapter.capabilities.cardsUpdatable) return
  const mail = await findMail(deps.store.db, `card:${row.id}`)
  const sent = mail && parseSent(mail)
  if (!mail || !sent) return
  await deps.outbox.put(deps.store.db, {
    key: `d-${row.id}`,
    address: JSON.parse(mail.address) as Address,
    sessionId: row.session_id,
    ref: `live:${runId}`,
    priority: 'low',
    deadlineMs: UPDATE_DEADLINE_MS,
    payload: { message: { type: 'card', card: deps.faces.decided(row, adapter) }, update: sent },
  })
  deps.outbox.flush(mail.chat_key)
}
