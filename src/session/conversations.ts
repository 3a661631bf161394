/**
 * A bounded cache of conversations, so that a turn reads only the log entries written since the last one. The log
 * stays authoritative: it is queried every time, and entries may be evicted at any moment.
 */
import type { LogEntry, StoredEntry } from '../protocol/session-log.ts'
import { readContext, readEntries } from '../store/repositories/session-log.ts'
import type { Db } from '../store/store.ts'

/** May forget anything at any time; nobody relies on it for more than speed. */
export interface Conversations {
  /** The entries that are still context, in order, from the log and from what is known of it. */
  read(db: Db, sessionId: string, epoch: number): Promise<readonly StoredEntry[]>
  /** Keeps a conversation as it is now. Entries are never changed, only added. */
  keep(sessionId: string, epoch: number, entries: readonly StoredEntry[]): void
}

interface Kept {
  readonly epoch: number
  readonly entries: readonly StoredEntry[]
  readonly characters: number
}

const MOST_CHARACTERS = 2_000_000
const MOST_CONVERSATIONS = 100

/** @param mostCharacters bound of the cache, characters of all conversations together */
export function createConversations(mostCharacters = MOST_CHARACTERS): Conversations {
  // In order of use: the one that was used longest ago comes first.
  const kept = new Map<string, Kept>()
  let characters = 0

  const forget = (sessionId: string): void => {
    characters -= kept.get(sessionId)?.characters ?? 0
    kept.delete(sessionId)
  }
  const keep: Conversations['keep'] = (sessionId, epoch, entries) => {
    const before = kept.get(sessionId)
    const grown = before?.epoch === epoch && before.entries[0] === entries[0] ? before : undefined
    const fresh = entries.slice(grown?.entries.length ?? 0)
    const size = (grown?.characters ?? 0) + fresh.reduce((sum, { entry }) => sum + charactersOf(entry), 0)
    forget(sessionId)
    if (size > mostCharacters) return
    kept.set(sessionId, { epoch, entries, characters: size })
    characters += size
    for (const oldest of kept.keys()) {
      if (characters <= mostCharacters && kept.size <= MOST_CONVERSATIONS) break
      forget(oldest)
    }
  }

  return {
    keep,
    read: async (db, sessionId, epoch) => {
      const known = kept.get(sessionId)
      const last = known?.entries.at(-1)
      const since =
        known?.epoch === epoch && last ? await readEntries(db, sessionId, epoch, last.seq) : undefined
      const joined = known && since && [...known.entries, ...since]
      const entries = joined && isContext(joined) ? joined : await readContext(db, sessionId, epoch)
      keep(sessionId, epoch, entries)
      return entries
    },
  }
}

/** False once a summary has replaced some of the entries. */
function isContext(entries: readonly StoredEntry[]): boolean {
  const summary = entries.findLast(({ entry }) => entry.type === 'summary')?.entry
  return summary?.type !== 'summary' || (entries[0]?.seq ?? 0) > summary.after
}

/** Approximate size of an entry in characters, for the bound of the cache. */
function charactersOf(entry: LogEntry): number {
  const small = 300
  switch (entry.type) {
    case 'user':
      return entry.messages.reduce(
        (sum, message) =>
          sum +
          small +
          message.text.length +
          message.context.reduce((all, part) => all + part.text.length, 0) +
          message.files.reduce((all, file) => all + small + (file.image?.base64.length ?? 0), 0),
        0,
      )
    case 'assistant':
      return (
        small +
        entry.text.length +
        (entry.reasoning?.length ?? 0) +
        entry.toolCalls.reduce((sum, call) => sum + small + call.arguments.length, 0)
      )
    case 'result':
      return (
        small + entry.text.length + (entry.images ?? []).reduce((sum, image) => sum + image.base64.length, 0)
      )
    case 'memory':
      return entry.blocks.reduce((sum, block) => sum + small + block.content.length, 0)
    case 'note':
    case 'summary':
      return small + entry.text.length
    default:
      return small
  }
}
