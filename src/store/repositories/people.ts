/** Display names of people, learned on the way. For showing only; nothing is decided by a name. */
import type { UserKey } from '../../protocol/address.ts'
import type { Db } from '../store.ts'

/** Writes only when the name is new or another one. */
export async function rememberName(db: Db, user: UserKey, name: string, now: number): Promise<void> {
  await db
    .insertInto('people')
    .values({ user, name, updated_at: now })
    .onConflict((oc) =>
      oc.column('user').doUpdateSet({ name, updated_at: now }).where('people.name', '!=', name),
    )
    .execute()
}

/** Known names of these people, by user key. */
export async function knownNames(db: Db, users: readonly string[]): Promise<Record<string, string>> {
  if (users.length === 0) return {}
  const rows = await db
    .selectFrom('people')
    .select(['user', 'name'])
    .where('user', 'in', [...users])
    .execute()
  return Object.fromEntries(rows.map((row) => [row.user, row.name]))
}
