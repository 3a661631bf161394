import type { Clock } from '../../../src/protocol/ports.ts'
import type { ConnectionEntry, DeliveryEntry, JournalEntry, RequestEntry } from './control.ts'

const kept = 20_000

/** Everything that went over the wire, in order. */
export interface Journal {
  request(entry: Omit<RequestEntry, 'kind' | 'id' | 'at'>): void
  /** Begins a delivery; the returned function writes how it ended. */
  delivery(
    entry: Omit<DeliveryEntry, 'kind' | 'id' | 'at' | 'outcome'>,
  ): (end: Pick<DeliveryEntry, 'outcome' | 'status' | 'answer'>) => void
  connection(entry: Omit<ConnectionEntry, 'kind' | 'id' | 'at'>): void
  entries(): readonly JournalEntry[]
  clear(): void
}

/** Keeps the last 20,000 entries. */
export function createJournal(clock: Clock): Journal {
  const byId = new Map<number, JournalEntry>()
  let next = 1
  const add = (entry: JournalEntry): void => {
    byId.set(entry.id, entry)
    const [oldest] = byId.keys()
    if (byId.size > kept && oldest !== undefined) byId.delete(oldest)
  }
  return {
    request: (entry) => add({ ...entry, kind: 'request', id: next++, at: clock.now() }),
    connection: (entry) => add({ ...entry, kind: 'connection', id: next++, at: clock.now() }),
    delivery: (entry) => {
      const begun = { ...entry, kind: 'delivery', id: next++, at: clock.now() } as const
      add({ ...begun, outcome: 'pending' })
      return (end) => {
        if (byId.has(begun.id)) byId.set(begun.id, { ...begun, ...end, finishedAt: clock.now() })
      }
    },
    entries: () => [...byId.values()],
    clear: () => byId.clear(),
  }
}
