/** The simulator's journal as lines of the playground's traffic pane. */
import type { PlaygroundTraffic } from '../../../src/protocol/playground.ts'
import type { JournalEntry } from './control.ts'

const isCall = (entry: JournalEntry): boolean => entry.channel === 'ws-in' || entry.channel === 'http-in'

/** One entry, or nothing for a heartbeat, which would push everything else out of sight. */
export function playgroundTraffic(entry: JournalEntry): PlaygroundTraffic[] {
  if (entry.name === 'ping') return []
  const { errcode } = entry
  const isOpen = errcode === undefined
  const outcome = isOpen ? (isCall(entry) ? 'open' : 'sent') : errcode === 0 ? 'ok' : `errcode ${errcode}`
  return [
    {
      id: String(entry.id),
      direction: entry.name === 'aibot_subscribe' ? 'link' : isCall(entry) ? 'out' : 'in',
      at: entry.at,
      title: entry.channel === 'http-in' ? `/cgi-bin/${entry.name}` : entry.name,
      outcome: entry.answer === 'not connected' ? 'not connected' : outcome,
      ok: (isOpen || errcode === 0) && entry.answer !== 'not connected',
      detail: entry,
    },
  ]
}
