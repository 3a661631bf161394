/** Rate guard against bot loops: a bot gets a budget of answers per chat, after which it is ignored. */
import type { Clock } from '../protocol/ports.ts'

const BUDGET = 20
const WINDOW_MS = 60_000
const SILENCE_MS = 60_000

export interface BotLoopGuard {
  /** Whether a message of this bot in this chat may still be answered. */
  mayAnswer(chat: string, bot: string): boolean
}

/** Keeps its counts in memory: a restart gives every pair a new budget. */
export function createBotLoopGuard(clock: Clock): BotLoopGuard {
  const pairs = new Map<string, { times: number[]; silentUntil: number }>()
  return {
    mayAnswer: (chat, bot) => {
      const now = clock.monotonic()
      for (const [key, pair] of pairs)
        if ((pair.times.at(-1) ?? 0) < now - WINDOW_MS - SILENCE_MS) pairs.delete(key)
      const key = `${chat}\n${bot}`
      const pair = pairs.get(key) ?? { times: [], silentUntil: 0 }
      pairs.set(key, pair)
      if (now < pair.silentUntil) return false
      pair.times = [...pair.times.filter((time) => time > now - WINDOW_MS), now]
      if (pair.times.length <= BUDGET) return true
      pair.silentUntil = now + SILENCE_MS
      return false
    },
  }
}
