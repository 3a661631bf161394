/** Handles membership events: bot added, bot removed, chat disbanded. */
import { createHash } from 'node:crypto'
import type { MembershipEvent } from '../protocol/inbound.ts'
import { setChatState } from '../store/repositories/chats.ts'
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
