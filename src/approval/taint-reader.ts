/** Whether a session's conversation holds words that nobody in the chat typed. */
import { taints } from '../protocol/taint.ts'
import { readEntries } from '../store/repositories/session-log.ts'
import type { Store } from '../store/store.ts'

/** Reads each log entry of the conversation once; what is tainted stays tainted. */
export function createTaintReader({ db }: Pick<Store, 'db'>): (sessionId: string) => Promise<boolean> {
  let found = false
  let read = 0
  return async (sessionId) => {
    if (found) return true
    const session = await db
      .selectFrom('sessions')
      .select('epoch')
      .where('id', '=', sessionId)
      .executeTakeFirst()
    const entries = session ? await readEntries(db, sessionId, session.epoch, read) : []
    read = entries.at(-1)?.seq ?? read
    found = entries.some(({ entry }) => taints(entry))
    return found
  }
}
