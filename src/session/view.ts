/** What an engine sees of a session: entries in order, fenced appends, and the inbox's next messages. */
import type { Address, UserKey } from '../protocol/address.ts'
import type { MessageEvent } from '../protocol/inbound.ts'
import type { Clock } from '../protocol/ports.ts'
import type { LogEntry, SessionView, StoredEntry } from '../protocol/session-log.ts'
import { closeInbox, waitingMessages } from '../store/repositories/inbox.ts'
import {
  appendEntry,
  type LogWriter,
  peopleOf,
  readContext,
  readPeople,
} from '../store/repositories/session-log.ts'
import type { InboxRow } from '../store/schema.ts'
import type { Db, Store } from '../store/store.ts'
import type { Conversations } from './conversations.ts'
import type { Input } from './input.ts'
import { splitAtSummary } from './projection.ts'

/** Wall times, milliseconds. */
export interface WaitingTime {
  readonly from: number
  readonly to: number
}

export interface ViewDeps {
  readonly store: Store
  readonly input: Input
  readonly clock: Clock
  readonly writer: LogWriter
  readonly address: Address
  readonly requester: UserKey
  readonly workspace: string
  /** Whether a message of this person may join the run that is going on, whose `people` are already in it. */
  readonly maySteer: (user: UserKey, people: readonly UserKey[]) => boolean
  /**
   * The time for which the run waited for its last decision. What was said then was said while nobody listened, and
   * gets an answer of its own after this run, not a line in the card of the decision.
   */
  readonly waited?: (entries: readonly StoredEntry[]) => Promise<WaitingTime | undefined>
  /** Memory of a person here that the conversation does not show yet; `shown` names what it does. */
  readonly recollect?: Recollect
  /** What is still known of the conversation; without it everything is read. */
  readonly conversations?: Conversations
}

/** Undefined when the conversation shows everything; `shown` holds the names of blocks that it does. */
export type Recollect = (
  user: UserKey,
  shown: ReadonlySet<string>,
) => Promise<Extract<LogEntry, { type: 'memory' }> | undefined>

/** For the process that holds the lease; every append carries its fence and is refused once that is old. */
export interface WritableView extends SessionView {
  /**
   * Everybody whose messages are in this run, the requester first: read from the log, so that neither a
   * summary nor a restart forgets one. What the run does is done for all of them.
   */
  people(): readonly UserKey[]
  /** Appends inside a transaction of the caller; the entry is seen once the caller says so. */
  appendIn(db: Db, entry: LogEntry): Promise<StoredEntry>
  /** Adds entries that were appended by {@link WritableView.appendIn} and are now committed. */
  adopt(entry: StoredEntry): void
}

/** Loads the current conversation of a session. */
export async function openView(deps: ViewDeps): Promise<WritableView> {
  const { store, clock, writer, conversations } = deps
  const { sessionId, epoch } = writer
  let entries: readonly StoredEntry[] = conversations
    ? await conversations.read(store.db, sessionId, epoch)
    : await readContext(store.db, sessionId, epoch)
  const people = new Set<UserKey>([
    deps.requester,
    ...(await readPeople(store.db, writer.sessionId, writer.runId)),
  ])
  const adopt = (entry: StoredEntry): void => {
    entries = [...entries, entry]
    conversations?.keep(sessionId, epoch, entries)
    for (const user of peopleOf(entry.entry)) people.add(user)
  }
  const appendIn: WritableView['appendIn'] = (db, entry) => appendEntry(db, writer, entry, clock.now())

  return {
    sessionId: writer.sessionId,
    runId: writer.runId,
    address: deps.address,
    requester: deps.requester,
    workspace: deps.workspace,
    entries: () => entries,
    people: () => [...people],
    adopt,
    appendIn,
    append: async (entry) => {
      const stored = await appendIn(store.db, entry)
      adopt(stored)
      return stored
    },
    takeInput: async () => {
      const waiting = await waitingMessages(store.db, writer.sessionId)
      const time = waiting.length === 0 ? undefined : await deps.waited?.(entries)
      const heard = waiting.filter(
        (row) => !time || row.received_at < time.from || row.received_at >= time.to,
      )
      const rows = joining(heard, [...people], deps.maySteer)
      if (rows.length === 0) return undefined
      const messages = await Promise.all(rows.map((row) => deps.input.read(row)))
      const memories = await recollected(
        deps.recollect,
        entries,
        messages.map((message) => message.user),
      )
      // Needs no disk flush of its own: if it is lost, the inbox still has the messages.
      const stored = await store
        .transactionSoon(async (trx) => {
          const before: StoredEntry[] = []
          for (const memory of memories) before.push(await appendIn(trx, memory))
          const entry = await appendIn(trx, { type: 'user', messages })
          const taken = await closeInbox(
            trx,
            rows.map((row) => row.id),
            'taken',
          )
          // A message that was recalled while it was being read takes the entry back with it.
          if (taken !== rows.length) throw new RecalledMeanwhile()
          return [...before, entry]
        })
        .catch((error: unknown) => {
          if (error instanceof RecalledMeanwhile) return undefined
          throw error
        })
      for (const entry of stored ?? []) adopt(entry)
      return stored?.at(-1)
    },
  }
}

/** The waiting messages that may join, each judged beside those that join before it. */
function joining(
  waiting: readonly InboxRow[],
  present: readonly UserKey[],
  maySteer: ViewDeps['maySteer'],
): InboxRow[] {
  const people = new Set(present)
  return waiting.filter((row) => {
    const { sender, others = [] } = JSON.parse(row.payload) as MessageEvent
    const behind = [sender.user, ...others]
    if (!behind.every((user) => maySteer(user, [...people]))) return false
    for (const user of behind) people.add(user)
    return true
  })
}

/** Memory blocks of these people that the conversation does not contain yet, or lost to a summary. */
async function recollected(
  recollect: Recollect | undefined,
  entries: readonly StoredEntry[],
  users: readonly UserKey[],
): Promise<LogEntry[]> {
  if (!recollect) return []
  const shown = new Set<string>()
  const note = (entry: LogEntry): void => {
    if (entry.type !== 'memory') return
    for (const { name, user } of entry.blocks) shown.add(user === undefined ? name : `${name} ${user}`)
  }
  for (const { entry } of splitAtSummary(entries).kept) note(entry)
  const found: LogEntry[] = []
  for (const user of new Set(users)) {
    const memory = await recollect(user, shown)
    if (!memory) continue
    note(memory)
    found.push(memory)
  }
  return found
}

class RecalledMeanwhile extends Error {}
