import { AppError } from '../../src/protocol/errors.ts'
import type { LogEntry, LoggedMessage, SessionView, StoredEntry } from '../../src/protocol/session-log.ts'

export interface MemorySession extends SessionView {
  /** The log itself, also after a simulated crash. */
  readonly log: StoredEntry[]
  /** Puts a message into the inbox. */
  say(text: string, more?: Partial<LoggedMessage>): void
  /** The process dies at the n-th append from now: it and all later ones are refused. */
  crashAt(append: number): void
  /** Another worker takes the session over. */
  reopen(): MemorySession
}

/** A session whose log is a list. */
export function createMemorySession(
  log: StoredEntry[] = [],
  inbox: LoggedMessage[] = [],
  runId = 'run1',
): MemorySession {
  let left = Number.POSITIVE_INFINITY
  const append = async (entry: LogEntry): Promise<StoredEntry> => {
    await Promise.resolve()
    left -= 1
    if (left < 0) throw new AppError('session.lease_lost', 'another worker holds the session')
    const seq = (log.at(-1)?.seq ?? 0) + 1
    const stored: StoredEntry = { seq, at: 0, runId, entry: structuredClone(entry) }
    log.push(stored)
    return stored
  }
  return {
    log,
    sessionId: 'session-1',
    runId,
    address: { botId: 'ops', chatId: 'oc_1', chatType: 'group' },
    requester: 'feishu:ou_1',
    workspace: '/workspace',
    entries: () => sinceSummary(log),
    append,
    async takeInput() {
      if (inbox.length === 0) return undefined
      const stored = await append({ type: 'user', messages: [...inbox] })
      inbox.length = 0
      return stored
    },
    say: (text, more = {}) => {
      inbox.push({
        messageId: `om_${inbox.length}`,
        user: 'feishu:ou_1',
        name: '张三',
        text,
        sentAt: Date.UTC(2026, 0, 5, 1),
        replyTo: '',
        context: [],
        files: [],
        notes: [],
        ...more,
      })
    },
    crashAt: (count) => {
      left = count - 1
    },
    reopen: () => createMemorySession(log, inbox, runId),
  }
}

function sinceSummary(log: readonly StoredEntry[]): readonly StoredEntry[] {
  const summary = log.findLast(({ entry }) => entry.type === 'summary')?.entry
  return summary?.type === 'summary' ? log.filter(({ seq }) => seq > summary.after) : [...log]
}
