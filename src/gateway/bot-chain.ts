/**
 * Two bots that answer each other at leisure stay below every rate. So only a few of a bot's messages in a
 * row are answered; then a person must speak, or the bots must have been quiet for a while.
 */
import type { Clock } from '../protocol/ports.ts'

/** A bot that comes back after this long, milliseconds, begins anew: an alarm in the evening is no dialogue. */
const PAUSE_MS = 10 * 60_000
/** Chats remembered; the quiet ones are forgotten first. */
const CHATS_KEPT = 10_000

export interface BotChainGuard {
  /** A person has spoken in the chat. */
  personSpoke(chat: string): void
  /**
   * Whether a bot's message may be answered. `stop` is the first that may not: the chat is told once. Asking
   * again for the same message gives the same answer and counts nothing, since platforms repeat deliveries.
   */
  take(chat: string, messageId: string): 'yes' | 'no' | 'stop'
}

interface Chain {
  last: number
  readonly taken: string[]
  /** The message that ended the chain. */
  stoppedAt?: string
}

export function createBotChainGuard(clock: Clock, longest: number): BotChainGuard {
  const chains = new Map<string, Chain>()
  return {
    personSpoke: (chat) => chains.delete(chat),
    take: (chat, messageId) => {
      const now = clock.monotonic()
      const known = chains.get(chat)
      const chain = known && now - known.last < PAUSE_MS ? known : { last: now, taken: [] }
      // Written anew, so that the oldest entry of the map is the quietest chat.
      chains.delete(chat)
      chains.set(chat, chain)
      const [oldest] = chains.keys()
      if (chains.size > CHATS_KEPT && oldest !== undefined) chains.delete(oldest)
      if (chain.taken.includes(messageId)) return 'yes'
      if (chain.taken.length < longest) {
        chain.last = now
        chain.taken.push(messageId)
        return 'yes'
      }
      chain.stoppedAt ??= messageId
      return chain.stoppedAt === messageId ? 'stop' : 'no'
    },
  }
}
