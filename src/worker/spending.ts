/**
 * What chats and the whole service have used since midnight, so that no loop, no schedule and no busy chat
 * eats everybody's budget (R19). The store has the truth; it is read once a day, and again and again only
 * where other processes spend too. It knows tokens and days; it refuses to know what they were spent on.
 */
import { type Address, chatKey } from '../protocol/address.ts'
import type { DayLimit } from '../protocol/engine.ts'
import type { Clock } from '../protocol/ports.ts'
import { spentSince } from '../store/repositories/spending.ts'
import type { Store } from '../store/store.ts'

export interface Spending {
  /** A look that takes no time: the limit that is used up for the chat by now. */
  of(address: Address): Promise<() => DayLimit | undefined>
  /** Counts a request of the chat that the store has counted. */
  add(address: Address, usage: TokenUsage): void
}

export interface TokenUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedTokens: number
}

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
  readonly readAt: number
  readonly chats: Map<string, number>
  total: number
}

/** How old the count of other processes may be. */
const REFRESH_MS = 60_000

export function createSpending({ store, clock, limits, dayOf, isShared }: SpendingDeps): Spending {
  const isLimited = limits.chatDay !== undefined || limits.day !== undefined
  let today: Day | undefined
  let reading: Promise<Day> | undefined

  const current = (): Day | undefined => {
    const now = clock.now()
    if (!today || now < today.from || now >= today.to) return undefined
    return today
  }
  const read = async (): Promise<Day> => {
    const { from, to } = dayOf(clock.now())
    const rows = await spentSince(store.db, from)
    const chats = new Map(rows.map((row) => [chatKey(row), row.tokens]))
    const total = rows.reduce((sum, row) => sum + row.tokens, 0)
    today = { from, to, readAt: clock.monotonic(), chats, total }
    return today
  }
  const fresh = async (): Promise<void> => {
    const known = current()
    if (known && !(isShared && clock.monotonic() - known.readAt > REFRESH_MS)) return
    reading ??= read().finally(() => {
      reading = undefined
    })
    await reading
  }

  return {
    of: async (address) => {
      if (!isLimited) return () => undefined
      await fresh()
      const chat = chatKey(address)
      return () => {
        const day = current()
        if (!day) return undefined
        return (
          usedUp('chat_day', day.chats.get(chat) ?? 0, limits.chatDay) ?? usedUp('day', day.total, limits.day)
        )
      }
    },
    add: (address, { inputTokens, outputTokens, cachedTokens }) => {
      const day = current()
      if (!day) return
      const chat = chatKey(address)
      // Cached input is nearly free, as in the limit of a run.
      const tokens = Math.max(0, inputTokens - cachedTokens) + outputTokens
      day.chats.set(chat, (day.chats.get(chat) ?? 0) + tokens)
      day.total += tokens
    },
  }
}

function usedUp(name: DayLimit['name'], spent: number, limit: number | undefined): DayLimit | undefined {
  return limit === undefined || spent < limit ? undefined : { name, tokens: limit }
}
