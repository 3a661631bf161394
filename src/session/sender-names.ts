/**
 * Display names of senders. A known name is used at once and refreshed only occasionally, in the background; a name
 * that the platform did not tell is not requested again with every message.
 */
import type { Adapter } from '../protocol/adapter.ts'
import type { UserKey } from '../protocol/address.ts'
import type { Sender } from '../protocol/inbound.ts'
import type { Clock, Logger } from '../protocol/ports.ts'
import { knownNames, rememberName } from '../store/repositories/people.ts'
import type { Store } from '../store/store.ts'

export interface SenderNames {
  /** The name to use without asking the platform; undefined when it is worth asking. Empty: it tells none. */
  known(sender: Sender, adapter: Adapter | undefined): Promise<string | undefined>
  /** Keeps what the platform told: a name, or that it tells none. */
  learned(user: UserKey, name: string): Promise<void>
  /** Waits for what is being asked. */
  drain(): Promise<void>
}

const ASK_AGAIN_MS = 6 * 3_600_000
/** Time until a name that the platform did not tell is requested again: a scope may have been granted meanwhile. Milliseconds. */
const ASK_ANEW_MS = 600_000
const LOOKUP_MS = 10_000
/** People whose last question is remembered; forgetting one costs a question. */
const MOST_PEOPLE = 10_000

/** Names in the store, with a bounded memory of recent lookups. */
export function createSenderNames(deps: { store: Store; clock: Clock; logger: Logger }): SenderNames {
  const { store, clock, logger } = deps
  const asked = new Map<UserKey, number>()
  const asking = new Set<Promise<void>>()

  const askedWithin = (user: UserKey, ms: number): boolean =>
    clock.monotonic() - (asked.get(user) ?? Number.NEGATIVE_INFINITY) < ms
  const noteAsked = (user: UserKey): void => {
    if (asked.size >= MOST_PEOPLE) asked.clear()
    asked.set(user, clock.monotonic())
  }
  const learned = async (user: UserKey, name: string): Promise<void> => {
    noteAsked(user)
    if (name !== '') await rememberName(store.db, user, name, clock.now())
  }
  const refresh = (user: UserKey, adapter: Adapter): void => {
    noteAsked(user)
    const work = Promise.resolve(adapter.nameOf?.(user, AbortSignal.timeout(LOOKUP_MS)))
      .then((name) => (name === undefined ? undefined : learned(user, name)))
      .catch((error: unknown) => logger.warn({ error }, 'a name could not be brought up to date'))
      .finally(() => asking.delete(work))
    asking.add(work)
  }

  return {
    learned,
    known: async (sender, adapter) => {
      if (sender.name !== undefined) return sender.name
      const name = (await knownNames(store.db, [sender.user]))[sender.user]
      if (name === undefined) return askedWithin(sender.user, ASK_ANEW_MS) ? '' : undefined
      if (adapter && !askedWithin(sender.user, ASK_AGAIN_MS)) refresh(sender.user, adapter)
      return name
    },
    drain: async () => {
      await Promise.allSettled(asking)
    },
  }
}
