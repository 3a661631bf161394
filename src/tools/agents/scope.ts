/** What a helper knows of the conversation. Pure. */
import type { LogEntry } from '../../protocol/session-log.ts'

export type ScopeMode = 'none' | 'last_n_turns' | 'summary_only' | 'full_history'

/** The entries that a scope hands over; `turns` counts messages of people from the end. */
export function scopedHistory(
  history: readonly LogEntry[],
  scope: { readonly mode: ScopeMode; readonly n: number },
): readonly LogEntry[] {
  switch (scope.mode) {
    case 'none':
      return []
    case 'summary_only':
      // The host hands the newest summary over as the first entry, a note.
      return history[0]?.type === 'note' ? [history[0]] : []
    case 'full_history':
      return history
    case 'last_n_turns': {
      const starts = history.flatMap((entry, i) => (entry.type === 'user' ? [i] : []))
      const from = starts.at(-scope.n) ?? starts[0]
      return from === undefined ? [] : history.slice(from)
    }
  }
}
