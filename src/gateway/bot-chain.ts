/**
 * Ends endless exchanges between bots that are too slow for any rate limit: only a few messages of bots in a row are
 * answered, until a person writes or the bots have been quiet for a while. The chain is kept in the store, so that
 * neither a restart nor a second process resets it.
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
/** Machines that share a store differ by less; a chain that lies further ahead is from before the clock was set. */
const SKEW_MS = 5_000
/** Chats remembered; the quiet ones are forgotten first. */
const CHATS_KEPT = 10_000
const ROUNDS = 5

export interface BotChainGuard {
  /** A person has spoken in the chat, to whomever. Costs no look at the store. */
  personSpoke(chat: string): void
  /**
   * Whether a bot's message may be answered. `ended` is the message that was answered last, the same for all
   * that come after it, so that the chat is told once; undefined when there is nothing to tell. Asking again for
   * a message that was answered counts nothing, since platforms repeat deliveries. Rejects with the store.
   */
  take(
    chat: string,
    message: { readonly id: string; readonly user: string },
  ): Promise<'yes' | { readonly ended: string | undefined }>
}

interface Deps {
  readonly db: Db
  readonly clock: Clock
}

/** A person's message, which permits one new chain of bot messages. */
interface Word {
  /** Wall time. */
  readonly at: number
  /** Messages that tried to begin a chain for it; one of them did, the others go on in that chain. Nearly always none. */
  beginners?: Set<string>
}

/** @param longest answers to bots in a row; 0 answers none */
export function createBotChainGuard(deps: Deps, longest: number): BotChainGuard {
  const words = createRecent<Word>()
  /** The message that this process took last. A word that is still there behind it was said after it. */
  const ours = createRecent<string>()

  const take: BotChainGuard['take'] = async (chat, message) => {
    if (longest === 0) return { ended: undefined }
    let ended: string | undefined
    for (let round = 0; round < ROUNDS; round++) {
      // Read ahead of the chain and left in place: it must outlast a fault of the store, and others who ask now.
      const word = words.get(chat)
      const known = await botChain(deps.db, chat)
      if (known?.taken.some(({ id }) => id === message.id)) return 'yes'
      const isNew = !known || isAnswered(known, word, ours.get(chat)) || !(await goesOn(deps, chat, known))
      const taken = isNew ? [] : known.taken
      ended = known?.taken.at(-1)?.id
      if (taken.length >= longest) return { ended }
      if (isNew && word) {
        word.beginners ??= new Set()
        word.beginners.add(message.id)
      }
      const after = { taken: [...taken, message], lastAt: deps.clock.now() }
      if (!(await replaceBotChain(deps.db, chat, known, after))) continue
      ours.set(chat, message.id)
      if (words.get(chat) === word) words.delete(chat)
      return 'yes'
    }
    // Others take one after the other in this chat: that is what the guard is for.
    return { ended }
  }

  return {
    personSpoke: (chat) => words.set(chat, { at: deps.clock.now() }),
    take,
  }
}

/** Whether a person has spoken since the chain's last message, and no chain has begun for it yet. */
function isAnswered({ taken, lastAt }: BotChain, word: Word | undefined, ours: string | undefined): boolean {
  const [first] = taken
  if (!word || (first && word.beginners?.has(first.id))) return false
  // Only the chain of another process needs the wall to tell what came first.
  return word.at >= lastAt || taken.at(-1)?.id === ours
}

/**
 * Whether the chain is still the one of this talk. A person whose words another process took is known by the
 * run that they began.
 */
async function goesOn({ db, clock }: Deps, chat: string, chain: BotChain): Promise<boolean> {
  const quietMs = clock.now() - chain.lastAt
  if (quietMs >= PAUSE_MS || quietMs < -SKEW_MS) return false
  const run = await newestRequester(db, chat)
  if (!run || run.startedAt <= chain.lastAt) return true
  return chain.taken.some(({ user }) => user === run.requester)
}

/** One thing for each of the chats that were busy last. */
function createRecent<T>() {
  const things = new Map<string, T>()
  return {
    get: (chat: string): T | undefined => things.get(chat),
    delete: (chat: string): void => void things.delete(chat),
    set: (chat: string, thing: T): void => {
      // Written anew, so that the oldest entry of the map is the quietest chat.
      things.delete(chat)
      things.set(chat, thing)
      if (things.size <= CHATS_KEPT) return
      const [oldest] = things.keys()
      if (oldest !== undefined) things.delete(oldest)
    },
  }
}
