/**
 * Two bots that answer each other at leisure stay below every rate. So only a few of a bot's messages in a
 * row are answered; then a person must speak, or the bots must have been quiet for a while. The row is kept in
 * the store: neither a restart nor a second process begins it anew.
 */
import type { Clock } from '../protocol/ports.ts'
import {
  type BotChain,
  botChain,
  newestRequester,
  replaceBotChain,
} from '../store/repositories/bot-chains.ts'
import type { Db } from '../store/store.ts'

/** A bot that comes back after this long, milliseconds, begins anew: an alarm in the evening is no dialogue. */
const PAUSE_MS = 10 * 60_000
/** After a no, further messages within this long are not looked up. */
const SURE_MS = 1_000
/** Chats remembered; the quiet ones are forgotten first. */
const CHATS_KEPT = 10_000
const ROUNDS = 5

export interface BotChainGuard {
  /** A person has spoken in the chat, to whomever. Costs no look at the store. */
  personSpoke(chat: string): void
  /**
   * Whether a bot's message may be answered. `ended` is the message that was answered last, the same for all
   * that come after it, so that the chat is told once. Asking again for a message that was answered counts
   * nothing, since platforms repeat deliveries.
   */
  take(
    chat: string,
    message: { readonly id: string; readonly user: string },
  ): Promise<'yes' | { readonly ended: string }>
}

interface Deps {
  readonly db: Db
  readonly clock: Clock
}

export function createBotChainGuard(deps: Deps, longest: number): BotChainGuard {
  const spoke = createTimes()
  const refused = new Map<string, { readonly at: number; readonly ended: string }>()

  const take: BotChainGuard['take'] = async (chat, message) => {
    const now = deps.clock.now()
    const last = refused.get(chat)
    if (last && now - last.at < SURE_MS) return { ended: last.ended }
    refused.delete(chat)
    const spokeAt = spoke.take(chat)
    for (let round = 0; round < ROUNDS; round++) {
      const known = await botChain(deps.db, chat)
      const taken = known && (await goesOn(deps, chat, known, spokeAt)) ? known.taken : []
      if (taken.some(({ id }) => id === message.id)) return 'yes'
      if (taken.length >= longest) {
        const ended = taken.at(-1)?.id ?? message.id
        if (refused.size < CHATS_KEPT) refused.set(chat, { at: now, ended })
        return { ended }
      }
      const after = { taken: [...taken, message], lastAt: now }
      if (await replaceBotChain(deps.db, chat, known, after)) return 'yes'
    }
    // Others take one after the other in this chat: that is what the guard is for.
    return { ended: message.id }
  }

  return {
    personSpoke: (chat) => {
      refused.delete(chat)
      spoke.set(chat, deps.clock.now())
    },
    take,
  }
}

/**
 * Whether the chain is still the one of this talk. A person whose words another process took is known by the
 * run that they began.
 */
async function goesOn(deps: Deps, chat: string, chain: BotChain, spokeAt: number): Promise<boolean> {
  if (deps.clock.now() - chain.lastAt >= PAUSE_MS || spokeAt >= chain.lastAt) return false
  const run = await newestRequester(deps.db, chat)
  if (!run || run.startedAt <= chain.lastAt) return true
  return chain.taken.some(({ user }) => user === run.requester)
}

/** When a person spoke last in each of the chats that were busy last. Asked once: the chain then begins anew. */
function createTimes() {
  const times = new Map<string, number>()
  return {
    take: (chat: string): number => {
      const at = times.get(chat) ?? Number.NEGATIVE_INFINITY
      times.delete(chat)
      return at
    },
    set: (chat: string, at: number): void => {
      // Written anew, so that the oldest entry of the map is the quietest chat.
      times.delete(chat)
      times.set(chat, at)
      if (times.size <= CHATS_KEPT) return
      const [oldest] = times.keys()
      if (oldest !== undefined) times.delete(oldest)
    },
  }
}
