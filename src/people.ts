/** Display names for cards: from the store; names of people who never wrote are fetched from their platform in advance. */
import type { Bots } from './bots.ts'
import type { UserKey } from './protocol/address.ts'
import type { Sender } from './protocol/inbound.ts'
import type { Clock } from './protocol/ports.ts'
import { knownNames, rememberName } from './store/repositories/people.ts'
import type { Store } from './store/store.ts'

/** For showing only: nothing is decided by a name. */
export interface People {
  /** The sender with the name that is known, if the platform gave none. Never waits for the platform. */
  named(sender: Sender): Promise<Sender>
  names(users: readonly string[]): Promise<Record<string, string>>
  /** Asks the platforms for the names of these people; what they do not tell stays unknown. */
  learn(users: readonly UserKey[]): Promise<void>
}

const LOOKUP_MS = 10_000

/** Names from the store, and from the adapters that can look them up. */
export function createPeople(deps: { store: Store; bots: Bots; clock: Clock }): People {
  const { db } = deps.store
  return {
    names: (users) => knownNames(db, users),
    named: async (sender) => {
      if (sender.name !== undefined) return sender
      const name = (await knownNames(db, [sender.user]))[sender.user]
      return name === undefined ? sender : { ...sender, name }
    },
    learn: async (users) => {
      for (const user of users) {
        const adapters = deps.bots.all().filter((adapter) => user.startsWith(`${adapter.platform}:`))
        for (const adapter of adapters) {
          const name = await adapter.nameOf?.(user, AbortSignal.timeout(LOOKUP_MS))
          if (name === undefined) continue
          await rememberName(db, user, name, deps.clock.now())
          break
        }
      }
    },
  }
}
