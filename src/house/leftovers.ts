/**
 * A simulated company begins anew at every start, and some of its chats have the names of before. What waited
 * in them, for a click on a card that is gone or behind it, would wait for ever.
 */
import type { Approvals } from '../approval/approvals.ts'
import { openSessions, setSessionClosed, setStopRequested } from '../store/repositories/sessions.ts'
import type { Store } from '../store/store.ts'

/**
 * Ends what is open in chats, as when they are disbanded; the first message opens the session again. Sessions
 * of schedules, tasks and remote callers stay: no message would open them.
 */
export async function closeLeftovers(parts: {
  readonly store: Store
  readonly approvals: Pick<Approvals, 'cancelSession'>
}): Promise<void> {
  const { db } = parts.store
  for (const { id, bot_id: botId } of await openSessions(db)) {
    if (!id.startsWith(`${encodeURIComponent(botId)}/`)) continue
    await setSessionClosed(db, id, 'chat_disbanded')
    await setStopRequested(db, id, true)
    await parts.approvals.cancelSession(id, 'system')
  }
}
