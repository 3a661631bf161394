/**
 * Which processes are using this store. Each renews a row under its own name; a process whose row has expired counts
 * as dead, and others may take over what it held (a message being sent, a terminal). There is no other way to tell a
 * dead process from a busy one.
 */
import type { Clock, Logger } from '../protocol/ports.ts'
import type { Db } from './store.ts'

/** A process is there until its row expires, 30 s after its last renewal. */
export interface Presence {
  /** Name of this process; also in leases and locks. */
  readonly owner: string
  /** Writes the row and renews it until {@link Presence.stop}; rejects when the store takes no row at all. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Whether a process other than this one is there: its things are not ours to touch. */
  isElsewhere(owner: string | null): Promise<boolean>
  /** Names of all other processes that are there. */
  others(): Promise<readonly string[]>
}

/** `service`: the one that holds the data folder. `guest`: a process beside it, serving one client. */
export type PresenceKind = 'service' | 'guest'

/** A process that has not renewed for so long is gone; milliseconds. */
export const PRESENCE_MS = 30_000
const RENEW_MS = 5_000
const PREFIX = 'presence:'
/** Rows of guests, for `like`: they stay when a service takes the data folder over from a dead one. */
export const GUESTS = `${PREFIX}guest:%`

/** @param owner name of this process, unique among all that share the store */
export function createPresence(
  deps: { readonly db: Db; readonly clock: Clock; readonly logger: Logger },
  owner: string,
  kind: PresenceKind = 'service',
): Presence {
  const { db, clock } = deps
  const name = `${PREFIX}${kind}:${owner}`
  let cancel: (() => void) | undefined
  let stopped = false

  const renew = async (): Promise<void> => {
    const until = clock.now() + PRESENCE_MS
    await db
      .insertInto('locks')
      .values({ name, owner, until })
      .onConflict((oc) => oc.column('name').doUpdateSet({ until }))
      .execute()
  }
  const later = (): void => {
    if (stopped) return
    cancel = clock.after(RENEW_MS, () => {
      renew()
        .catch((error: unknown) =>
          deps.logger.warn({ owner, error }, 'this process could not say that it is there; will try again'),
        )
        .finally(later)
    })
  }
  const present = async (): Promise<readonly string[]> => {
    const rows = await db
      .selectFrom('locks')
      .select('owner')
      .where('name', 'like', `${PREFIX}%`)
      .where('owner', '!=', owner)
      .where('until', '>', clock.now())
      .execute()
    return rows.map((row) => row.owner)
  }

  return {
    owner,
    others: present,
    isElsewhere: async (other) => other !== null && other !== owner && (await present()).includes(other),
    start: async () => {
      await renew()
      later()
    },
    stop: async () => {
      stopped = true
      cancel?.()
      await db.deleteFrom('locks').where('name', '=', name).execute()
    },
  }
}

/** Presence of nobody else: for a process that is known to be alone, such as a test. */
export function alone(owner = ''): Presence {
  const nothing = async (): Promise<void> => {}
  return {
    owner,
    start: nothing,
    stop: nothing,
    isElsewhere: async () => false,
    others: async () => [],
  }
}
