/**
 * A simulated company begins anew at every start, and some of its chats have the names of before. What waited
 * in them, for a click on a card that is gone or behind it, would wait for ever.
 */
import type { Approvals } from '../approval/approvals.ts'
import { openSessions, setSessionClosed, setStopRequested } from '../store/repositories/sessions.ts'
import type { Store } from '../store/store.ts'

/** Sessions of remote callers and of tasks belong to no chat of the company. */
const OF_NO_CHAT = /^(?:remote|task)[-:]/

/** Ends what is open, as when a chat is disbanded; the first message opens the session again. */
export async function closeLeftovers(parts: {
  readonly store: Store
  readonly approvals: Pick<Approvals, 'cancelSession'>
}): Promise<void> {
  const { db } = parts.store
  for (const id of await openSessions(db)) {
    if (OF_NO_CHAT.test(id)) continue
    await setSessionClosed(db, id, 'chat_disbanded')
    await setStopRequested(db, id, true)
    await parts.approvals.cancelSession(id, 'system')
  }
}
