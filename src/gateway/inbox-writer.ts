/**
 * Writes acknowledged events. Events that arrive in one turn of the event loop share one statement
 * and one disk flush; each caller is told only after its own group is on disk.
 */
import { insertInbox, type NewInboxRow } from '../store/repositories/inbox.ts'
import type { Store } from '../store/store.ts'

export interface InboxWriter {
  /** The new row's id, or undefined when the event was seen before. Rejects when nothing was stored. */
  add(row: NewInboxRow): Promise<number | undefined>
}

interface Waiting {
  readonly row: NewInboxRow
  readonly resolve: (id: number | undefined) => void
  readonly reject: (error: unknown) => void
}

/** More rows than this make a statement of their own: parameters per statement are bounded. */
const LARGEST_GROUP = 200

export function createInboxWriter(store: Store): InboxWriter {
  let group: Waiting[] = []
  let writing = false

  const writeGroup = async (): Promise<void> => {
    while (group.length > 0) {
      const batch = group.slice(0, LARGEST_GROUP)
      group = group.slice(LARGEST_GROUP)
      await writeBatch(store, batch)
    }
    writing = false
  }

  return {
    add: (row) =>
      new Promise((resolve, reject) => {
        group.push({ row, resolve, reject })
        if (writing) return
        writing = true
        // Whatever else this turn of the loop delivers joins the group.
        setImmediate(() => void writeGroup())
      }),
  }
}

async function writeBatch(store: Store, batch: readonly Waiting[]): Promise<void> {
  try {
    const ids = await insertInbox(
      store.db,
      batch.map((waiting) => waiting.row),
    )
    for (const { row, resolve } of batch) {
      resolve(ids.get(row.dedupe))
      // Two copies of one event in one group: only the first is the new one.
      ids.delete(row.dedupe)
    }
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}
