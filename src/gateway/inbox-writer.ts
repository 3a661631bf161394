/**
 * Writes acknowledged events. Events that arrive in one turn of the event loop share one transaction
 * and one disk flush; each caller is told only after its own group is on disk.
 */
import type { Address } from '../protocol/address.ts'
import type { Clock } from '../protocol/ports.ts'
import { createInboxInsert, type NewInboxRow } from '../store/repositories/inbox.ts'
import { createReopening, insertSessions } from '../store/repositories/sessions.ts'
import type { Store } from '../store/store.ts'
import { createKnownRecalls } from './known-recalls.ts'

export interface InboxWriter {
  /**
   * Stores the event and, if it is the first of its session, the session. A message opens a session that was
   * thought gone: a platform need not say that the bot is back, a message from the chat proves it. The new row's id, or undefined
   * when the event was seen before, or was taken back before it came: `recallKey` is the key of the row that
   * says so. Rejects when nothing was stored.
   */
  add(row: NewInboxRow, address: Address, recallKey: string): Promise<number | undefined>
}

interface Waiting {
  readonly row: NewInboxRow
  readonly address: Address
  readonly recallKey: string
  readonly resolve: (id: number | undefined) => void
  readonly reject: (error: unknown) => void
}

/** More rows than this make a transaction of their own: parameters per statement are bounded. */
const LARGEST_GROUP = 256
/** Sessions remembered as stored; forgetting one costs a row in a statement, nothing else. */
const SESSIONS_KNOWN = 20_000

/** A writer over one store; all adapters of a process share it. */
export function createInboxWriter(store: Store, clock: Clock): InboxWriter {
  const tables = {
    insertInbox: createInboxInsert(),
    reopen: createReopening(),
    recalls: createKnownRecalls(),
    known: new Set<string>(),
  }
  let group: Waiting[] = []
  let writing = false

  const writeGroup = async (): Promise<void> => {
    while (group.length > 0) {
      const batch = group.slice(0, LARGEST_GROUP)
      group = group.slice(LARGEST_GROUP)
      await writeBatch(store, clock, tables, batch)
    }
    writing = false
  }

  /** What a turn of the loop delivers joins the group, until a turn delivers nothing more. */
  const gather = (before: number): void => {
    setImmediate(() => {
      if (group.length > before && group.length < LARGEST_GROUP) gather(group.length)
      else void writeGroup()
    })
  }

  return {
    add: (row, address, recallKey) =>
      new Promise((resolve, reject) => {
        group.push({ row, address, recallKey, resolve, reject })
        if (writing) return
        writing = true
        gather(0)
      }),
  }
}

interface Tables {
  readonly insertInbox: ReturnType<typeof createInboxInsert>
  readonly reopen: ReturnType<typeof createReopening>
  readonly recalls: ReturnType<typeof createKnownRecalls>
  /** Sessions that have a row. */
  readonly known: Set<string>
}

async function writeBatch(
  store: Store,
  clock: Clock,
  tables: Tables,
  batch: readonly Waiting[],
): Promise<void> {
  try {
    const ids = await storeBatch(store, clock, tables, batch)
    for (const { row, resolve } of batch) {
      resolve(ids.get(row.dedupe))
      // Two copies of one event in one group: only the first is the new one.
      ids.delete(row.dedupe)
    }
  } catch (error) {
    tables.recalls.forget()
    for (const { reject } of batch) reject(error)
  }
}

async function storeBatch(
  store: Store,
  clock: Clock,
  { insertInbox, reopen, recalls, known }: Tables,
  batch: readonly Waiting[],
): Promise<Map<string, number>> {
  const fresh = new Map(
    batch.filter(({ row }) => !known.has(row.sessionId)).map(({ row, address }) => [row.sessionId, address]),
  )
  const ids = await store.transaction(async (trx) => {
    if (fresh.size > 0) await insertSessions(trx, [...fresh.values()], clock.now())
    const recalled = await recalls.read(trx)
    const rows = batch.filter(({ recallKey }) => !recalled.has(recallKey)).map(({ row }) => row)
    const inserted = await insertInbox(trx, rows)
    const speaking = rows.filter(({ kind, dedupe }) => kind === 'message' && inserted.has(dedupe))
    await reopen(trx, [...new Set(speaking.map((row) => row.sessionId))])
    return inserted
  })
  if (known.size > SESSIONS_KNOWN) known.clear()
  for (const sessionId of fresh.keys()) known.add(sessionId)
  return ids
}
