/** The simulator's journal as lines of the playground's traffic pane. */
import type { PlaygroundTraffic } from '../../../src/protocol/playground.ts'
import type { JournalEntry } from './control.ts'

/** One entry; the whole of it is the line's detail. */
export function playgroundTraffic(entry: JournalEntry): PlaygroundTraffic {
  const shared = { id: String(entry.id), at: entry.at, detail: entry }
  switch (entry.kind) {
    case 'request':
      return {
        ...shared,
        direction: 'out',
        title: `${entry.method} ${entry.route.replace(/^\/open-apis/, '')}`,
        outcome: entry.code > 0 ? `${entry.status} · ${entry.code}` : String(entry.status),
        ok: entry.status < 400 && entry.code <= 0,
      }
    case 'delivery':
      return {
        ...shared,
        direction: 'in',
        title: entry.eventType,
        outcome: entry.status === undefined ? entry.outcome : `${entry.outcome} · ${entry.status}`,
        ok: entry.outcome === 'ok' || entry.outcome === 'pending',
      }
    case 'connection':
      return { ...shared, direction: 'link', title: entry.change, outcome: entry.detail, ok: true }
    default:
      return entry satisfies never
  }
}
