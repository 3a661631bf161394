/**
 * Closes the chat sessions of an earlier playground. The simulated companies are created anew at every start and
 * reuse chat ids: work that waits there for a click on a card that no longer exists would block the chat for ever.
 */
import type { Approvals } from '../approval/approvals.ts'
import { openSessions, setSessionClosed, setStopRequested } from '../store/repositories/sessions.ts'
import type { Store } from '../store/store.ts'

/**
 * Closes every open chat session as if its chat were disbanded; the next message opens it again. Sessions of
 * schedules, tasks and remote callers stay open, because no message would reopen them.
 */
export async function closeStaleSessions(parts: {
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
