/** Whether a session's conversation contains text from outside the chat ("tainted"). */
import { taints } from '../protocol/taint.ts'
import { readEntries } from '../store/repositories/session-log.ts'
import type { Store } from '../store/store.ts'

/** Reads each log entry of the conversation once; what is tainted stays tainted. */
export function createTaintReader({ db }: Pick<Store, 'db'>): (sessionId: string) => Promise<boolean> {
  let found = false
  let read = 0
  let epoch: number | undefined
  return async (sessionId) => {
    if (found) return true
    // A new conversation that somebody begins meanwhile does not make the old one clean.
    epoch ??= await epochOf(db, sessionId)
    const entries = epoch === undefined ? [] : await readEntries(db, sessionId, epoch, read)
    read = entries.at(-1)?.seq ?? read
    found = entries.some(({ entry }) => taints(entry))
    return found
  }
}

async function epochOf(db: Store['db'], sessionId: string): Promise<number | undefined> {
  const query = db.selectFrom('sessions').select('epoch').where('id', '=', sessionId)
  return (await query.executeTakeFirst())?.epoch
}
