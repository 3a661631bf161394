/**
 * Decides when administrators are told about a server: once when it needs them, once when it works again. It knows
 * states and times; it refuses to know who is told and how it is worded.
 */
import type { Clock } from '../../protocol/ports.ts'
import { changesCode } from './pins.ts'
import type { ServerView } from './servers.ts'
import type { Trouble } from './trouble.ts'

/** What administrators are told; `server` is its name in the file. */
export type ServerNews =
  /** Given up; it stays off until somebody starts it again. */
  | { readonly kind: 'broken'; readonly server: string; readonly why: string; readonly trouble: Trouble }
  /** Fails again and again, and is tried again and again. */
  | { readonly kind: 'unreachable'; readonly server: string; readonly why: string; readonly trouble: Trouble }
  | { readonly kind: 'login'; readonly server: string }
  /** Its own names of tools that are off until an administrator agrees. */
  | { readonly kind: 'changed'; readonly server: string; readonly tools: readonly string[] }
  /** Works again after one of the first three. */
  | { readonly kind: 'recovered'; readonly server: string; readonly tools: number }

export interface ServerWatch {
  /** Called whenever a server is not what it was, or is gone. */
  look(view: ServerView): void
}

/** Failures in a row that are worth a word. */
const FAILURES = 5
/** How long it must work to count as recovered. */
const STEADY_MS = 5_000
/** A server that comes and goes is spoken of at most this often. */
const QUIET_MS = 10 * 60_000

interface Known {
  state: ServerView['state']
  failures: number
  /** The trouble that people were told of and that is not over. */
  told: ServerNews['kind'] | undefined
  quietUntil: number
  /** The changes that people know of. */
  changes: string
  cancelSteady: () => void
}

/**
 * What was so when a server is seen for the first time is no news; a server that comes and goes is told of every
 * 10 minutes at most.
 */
export function createServerWatch(
  clock: Pick<Clock, 'monotonic' | 'after'>,
  tell: (news: ServerNews) => void,
): ServerWatch {
  const servers = new Map<string, Known>()
  return {
    look: (view) => {
      const known = servers.get(view.name)
      const code = changesCode(view.changes)
      // What waited before this process began is no news.
      if (!known) return void servers.set(view.name, { ...UNKNOWN, changes: code, quietUntil: 0 })
      if (known.changes !== code && view.waiting.length > 0)
        tell({ kind: 'changed', server: view.name, tools: view.waiting })
      known.changes = code
      if (known.state === view.state) return
      known.state = view.state
      known.cancelSteady()
      const news = newsOf(view, known, clock, tell)
      if (news) {
        known.told = news.kind
        tell(news)
      }
      if (view.state === 'stopped') servers.delete(view.name)
    },
  }
}

const UNKNOWN = { state: 'stopped', failures: 0, told: undefined, cancelSteady: () => {} } as const

/** What people need to hear now that the state is another one. A recovery is told later, when it lasts. */
function newsOf(
  view: ServerView,
  known: Known,
  clock: Pick<Clock, 'monotonic' | 'after'>,
  tell: (news: ServerNews) => void,
): ServerNews | undefined {
  const { name: server, why, trouble } = view
  switch (view.state) {
    case 'broken':
      return { kind: 'broken', server, why, trouble }
    case 'login':
      return known.told === 'login' ? undefined : { kind: 'login', server }
    case 'waiting':
      known.failures += 1
      if (known.failures < FAILURES || known.told || clock.monotonic() < known.quietUntil) return undefined
      known.quietUntil = clock.monotonic() + QUIET_MS
      return { kind: 'unreachable', server, why, trouble }
    case 'ready':
      known.cancelSteady = clock.after(STEADY_MS, () => {
        known.failures = 0
        if (known.told) tell({ kind: 'recovered', server, tools: view.tools.length })
        known.told = undefined
      })
      return undefined
    default:
      return undefined
  }
}
