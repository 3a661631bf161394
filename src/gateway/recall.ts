/** What becomes of a message that its writer, or an administrator, has taken back. */
import { sessionKey } from '../protocol/address.ts'
import type { MessageEvent, RecallEvent } from '../protocol/inbound.ts'
import { closeInbox, insertInbox, type NewInboxRow } from '../store/repositories/inbox.ts'
import { openRunFor, waitingInChat } from '../store/repositories/recalls.ts'
import { setStopRequested } from '../store/repositories/sessions.ts'
import type { Db } from '../store/store.ts'
import type { GatewayDeps } from './deps.ts'
import { idKey } from './message-key.ts'

/**
 * A message that nobody has read yet is forgotten; the run that answers it is stopped. One that has not come
 * yet leaves a row, so that it is known, and no work, when it comes (R24). The row is written first, and in one
 * transaction with the search: whichever of the two is later meets the other's. Rejects when the store does;
 * everything may be done again.
 */
export async function handleRecall(deps: GatewayDeps, event: RecallEvent): Promise<void> {
  const { db } = deps.store
  const isForgotten = await deps.store.transaction(async (trx) => {
    await insertInbox(trx, [recalled(event, deps.clock.now())])
    return closeInbox(trx, await unread(trx, event), 'dropped')
  })
  if (isForgotten > 0) return
  const run = await openRunFor(db, event.address, event.messageId)
  if (!run) return
  await setStopRequested(db, run.session_id, true)
  await deps.approvals.cancelSession(run.session_id, run.requester)
  deps.interrupt(run.session_id)
  await deps.queue.wake(run.session_id)
}

/** Ids of the rows of the message that wait. */
async function unread(db: Db, { address, messageId }: RecallEvent): Promise<number[]> {
  const waiting = await waitingInChat(db, address.botId, address.chatId)
  return waiting
    .filter(({ payload }) => (JSON.parse(payload) as MessageEvent).messageId === messageId)
    .map(({ id }) => id)
}

/** Stands for the message that was taken back, in case it comes later; forgotten with the other events. */
function recalled(event: RecallEvent, receivedAt: number): NewInboxRow {
  const { botId } = event.address
  return {
    dedupe: idKey(botId, event.messageId),
    sessionId: sessionKey(event.address),
    ...{ botId, kind: 'event', state: 'dropped', receivedAt },
    payload: JSON.stringify(event),
  }
}
