import type { Kysely } from 'kysely'

/** When a mute was said, so that an old word that is carried out late does not undo a newer one. */
export const muteOrder = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .alterTable('approval_mutes')
      .addColumn('said_at', 'bigint', (c) => c.notNull().defaultTo(0))
      .execute()
  },
}
