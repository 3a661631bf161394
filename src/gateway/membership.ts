/** Handles membership events (bot added, bot removed, chat disbanded) and recalled messages. */
import { createHash } from 'node:crypto'
import { sessionKey } from '../protocol/address.ts'
import type { MembershipEvent, MessageEvent, RecallEvent } from '../protocol/inbound.ts'
import { setChatState } from '../store/repositories/chats.ts'
import { closeInbox, findInbox, insertInbox, type NewInboxRow } from '../store/repositories/inbox.ts'
import { openRun } from '../store/repositories/runs.ts'
import { sessionsOfChat, setSessionClosed, setStopRequested } from '../store/repositories/sessions.ts'
import type { GatewayDeps } from './deps.ts'
import { notify } from './notice.ts'

const STATE = {
  bot_added: 'present',
  chat_entered: 'present',
  bot_removed: 'removed',
  chat_disbanded: 'disbanded',
} as const

/** Opens or closes the chat's sessions and greets a new chat. Rejects when the store does. */
export async function handleMembership(deps: GatewayDeps, event: MembershipEvent): Promise<void> {
  const { botId, chatId } = event.address
  const { db } = deps.store
  await setChatState(db, botId, chatId, STATE[event.type], deps.clock.now())
  if (event.type === 'bot_added' || event.type === 'chat_entered') {
    for (const session of await sessionsOfChat(db, botId, chatId)) {
      // A stop that was meant for the time before must not end the first run of the new one.
      if (session.closed_reason !== null) await setStopRequested(db, session.id, false)
      await setSessionClosed(db, session.id, null)
    }
    await welcome(deps, event)
    return
  }
  for (const session of await sessionsOfChat(db, botId, chatId)) {
    await setSessionClosed(db, session.id, event.type)
    await setStopRequested(db, session.id, true)
    await deps.approvals.cancelSession(session.id, 'system')
    deps.interrupt(session.id)
    await deps.queue.wake(session.id)
  }
}

async function welcome(deps: GatewayDeps, event: MembershipEvent): Promise<void> {
  const text = deps.text(event.address.botId)
  await notify(deps.outbox, deps.store.db, {
    key: `h-${createHash('sha256').update(`${event.address.botId}\n${event.eventId}`).digest('hex').slice(0, 40)}`,
    address: event.address,
    markdown: text(event.type === 'bot_added' ? 'gateway.welcome_group' : 'gateway.welcome_direct'),
    ...(event.replyTo === undefined ? {} : { replyTo: event.replyTo }),
  })
}

/**
 * A message that nobody has read yet is forgotten; the run that answers it is stopped. One that has not come
 * yet leaves its row closed, so that it is known, and no work, when it comes (R24). The row is written first:
 * whichever of the two is later meets the other's.
 */
export async function handleRecall(deps: GatewayDeps, event: RecallEvent): Promise<void> {
  const { db } = deps.store
  const dedupe = `${event.address.botId}:m:${event.messageId}`
  if ((await insertInbox(db, [recalled(event, dedupe, deps.clock.now())])).size > 0) return
  const row = await findInbox(db, dedupe)
  if (!row || row.state === 'dropped' || (await closeInbox(db, [row.id], 'dropped')) > 0) return
  const run = await openRun(db, row.session_id)
  const message = JSON.parse(row.payload) as MessageEvent
  if (!run || run.reply_to !== message.replyTo) return
  await setStopRequested(db, row.session_id, true)
  await deps.approvals.cancelSession(row.session_id, message.sender.user)
  deps.interrupt(row.session_id)
  await deps.queue.wake(row.session_id)
}

/** Stands for a message that was taken back before it came; forgotten with the other events. */
function recalled(event: RecallEvent, dedupe: string, receivedAt: number): NewInboxRow {
  const { botId } = event.address
  const sessionId = sessionKey(event.address)
  return {
    ...{ dedupe, sessionId, botId, kind: 'event', state: 'dropped', receivedAt },
    payload: JSON.stringify(event),
  }
}
