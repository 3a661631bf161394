/** Named locks with an owner and an end: one socket per bot, one sweeper. */
import type { OwnerLock } from '../../protocol/adapter.ts'
import type { Clock } from '../../protocol/ports.ts'
import type { Db } from '../store.ts'

/** Locks held in the name of `owner` (one per process). */
export function createOwnerLock(db: Db, owner: string, clock: Clock): OwnerLock {
  return {
    acquire: async (name, ttlMs) => {
      const now = clock.now()
      const row = await db
        .insertInto('locks')
        .values({ name, owner, until: now + ttlMs })
        .onConflict((oc) =>
          oc
            .column('name')
            .doUpdateSet({ owner, until: now + ttlMs })
            .where((eb) => eb.or([eb('locks.owner', '=', owner), eb('locks.until', '<=', now)])),
        )
        .returning('owner')
        .executeTakeFirst()
      return row !== undefined
    },
    release: async (name) => {
      await db.deleteFrom('locks').where('name', '=', name).where('owner', '=', owner).execute()
    },
  }
}
