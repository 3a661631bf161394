/**
 * What chats and the whole service have used since midnight, so that no loop, no schedule and no busy chat
 * eats everybody's budget (R19). A request counts for the day in which it was made, whenever its run began. The
 * store has the truth; it is read once a day, and again and again only where other processes spend too. It knows tokens and days; it refuses to know what they were spent on.
 */
import { type Address, chatKey } from '../protocol/address.ts'
import type { DayLimit } from '../protocol/engine.ts'
import type { Clock } from '../protocol/ports.ts'
import { addUsage } from '../store/repositories/runs.ts'
import { spentSince } from '../store/repositories/spending.ts'
import type { Store } from '../store/store.ts'

export interface Spending {
  /** A look that takes no time: the limit that is used up for the chat by now. */
  of(address: Address): Promise<() => DayLimit | undefined>
  /** Counts a request of a run in the chat, in the store first. */
  add(address: Address, runId: string, usage: Usage): Promise<void>
}

type Usage = Parameters<typeof addUsage>[2]

export interface SpendingDeps {
  readonly store: Pick<Store, 'db'>
  readonly clock: Clock
  /** Tokens; absent: there is no such limit. */
  readonly limits: { readonly chatDay?: number | undefined; readonly day?: number | undefined }
  /** The day of an instant, both ends in milliseconds. */
  readonly dayOf: (at: number) => { readonly from: number; readonly to: number }
  /** Other processes spend too. */
  readonly isShared: boolean
}

interface Day {
  readonly from: number
  readonly to: number
  /** Monotonic; undefined until the store was read. */
  readAt: number | undefined
  chats: Map<string, number>
  total: number
}

/** How old the count of other processes may be. */
const REFRESH_MS = 60_000

/** A limit that is absent in `limits` is never read for; figures of other processes may be a minute old. */
export function createSpending({ store, clock, limits, dayOf, isShared }: SpendingDeps): Spending {
  const isLimited = limits.chatDay !== undefined || limits.day !== undefined
  const adding = new Set<Promise<void>>()
  let known: Day | undefined
  let reading: Promise<void> | undefined

  /** A day that has only just begun is counted from nothing until the store was read. */
  const today = (): Day => {
    const now = clock.now()
    if (!known || now < known.from || now >= known.to)
      known = { ...dayOf(now), readAt: undefined, chats: new Map(), total: 0 }
    return known
  }
  const isStale = ({ readAt }: Day): boolean =>
    readAt === undefined || (isShared && clock.monotonic() - readAt > REFRESH_MS)

  // While the store is read nothing is added, so that each request is in what was read or comes on top of it.
  const read = async (): Promise<void> => {
    await Promise.allSettled(adding)
    const day = today()
    const rows = await spentSince(store.db, day.from)
    day.chats = new Map(rows.map((row) => [chatKey(row), row.tokens]))
    day.total = rows.reduce((sum, row) => sum + row.tokens, 0)
    day.readAt = clock.monotonic()
  }
  const refresh = (): Promise<void> => {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }
  const count = async (address: Address, runId: string, usage: Usage): Promise<void> => {
    const day = today()
    // Cached input is nearly free, as in the limit of a run.
    const spent = Math.max(0, usage.inputTokens - usage.cachedTokens) + usage.outputTokens
    await addUsage(store.db, runId, usage, { from: day.from, spent })
    if (!isLimited) return
    const chat = chatKey(address)
    day.chats.set(chat, (day.chats.get(chat) ?? 0) + spent)
    day.total += spent
  }

  return {
    of: async (address) => {
      if (!isLimited) return () => undefined
      if (isStale(today())) await refresh()
      const chat = chatKey(address)
      return () => {
        const day = today()
        // A run may go on for long behind its first look. What cannot be read now is read at the next one.
        if (isStale(day)) refresh().catch(() => undefined)
        return (
          usedUp('chat_day', day.chats.get(chat) ?? 0, limits.chatDay) ?? usedUp('day', day.total, limits.day)
        )
      }
    },
    add: async (address, runId, usage) => {
      while (reading) await reading.catch(() => undefined)
      const counting = count(address, runId, usage)
      adding.add(counting)
      await counting.finally(() => adding.delete(counting))
    },
  }
}

function usedUp(name: DayLimit['name'], spent: number, limit: number | undefined): DayLimit | undefined {
  return limit === undefined || spent < limit ? undefined : { name, tokens: limit }
}
