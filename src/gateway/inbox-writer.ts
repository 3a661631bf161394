/**
 * Writes acknowledged events. Events that arrive in one turn of the event loop share one statement
 * and one disk flush; each caller is told only after its own group is on disk.
 */
import type { Address } from '../protocol/address.ts'
import type { Clock } from '../protocol/ports.ts'
import { insertInbox, type NewInboxRow } from '../store/repositories/inbox.ts'
import { insertSessions } from '../store/repositories/sessions.ts'
import type { Store } from '../store/store.ts'

export interface InboxWriter {
  /**
   * Stores the event and, if it is the first of its session, the session. The new row's id, or undefined
   * when the event was seen before. Rejects when nothing was stored.
   */
  add(row: NewInboxRow, address: Address): Promise<number | undefined>
}

interface Waiting {
  readonly row: NewInboxRow
  readonly address: Address
  readonly resolve: (id: number | undefined) => void
  readonly reject: (error: unknown) => void
}

/** More rows than this make a statement of their own: parameters per statement are bounded. */
const LARGEST_GROUP = 200
/** Sessions remembered as stored; forgetting one costs a statement, nothing else. */
const SESSIONS_KNOWN = 20_000

export function createInboxWriter(store: Store, clock: Clock): InboxWriter {
  const known = new Set<string>()
  let group: Waiting[] = []
  let writing = false

  const writeGroup = async (): Promise<void> => {
    while (group.length > 0) {
      const batch = group.slice(0, LARGEST_GROUP)
      group = group.slice(LARGEST_GROUP)
      await writeBatch(store, clock, known, batch)
    }
    writing = false
  }

  return {
    add: (row, address) =>
      new Promise((resolve, reject) => {
        group.push({ row, address, resolve, reject })
        if (writing) return
        writing = true
        // Whatever else this turn of the loop delivers joins the group.
        setImmediate(() => void writeGroup())
      }),
  }
}

async function writeBatch(
  store: Store,
  clock: Clock,
  known: Set<string>,
  batch: readonly Waiting[],
): Promise<void> {
  try {
    const ids = await storeBatch(store, clock, known, batch)
    for (const { row, resolve } of batch) {
      resolve(ids.get(row.dedupe))
      // Two copies of one event in one group: only the first is the new one.
      ids.delete(row.dedupe)
    }
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}

/** One statement, or one transaction when a session is met for the first time. */
async function storeBatch(
  store: Store,
  clock: Clock,
  known: Set<string>,
  batch: readonly Waiting[],
): Promise<Map<string, number>> {
  const rows = batch.map((waiting) => waiting.row)
  const fresh = new Map(
    batch.filter(({ row }) => !known.has(row.sessionId)).map(({ row, address }) => [row.sessionId, address]),
  )
  if (fresh.size === 0) return insertInbox(store.db, rows)
  const ids = await store.transaction(async (trx) => {
    await insertSessions(trx, [...fresh.values()], clock.now())
    return insertInbox(trx, rows)
  })
  if (known.size > SESSIONS_KNOWN) known.clear()
  for (const sessionId of fresh.keys()) known.add(sessionId)
  return ids
}
