import type { Kysely } from 'kysely'

/** The runs of a day, for what chats have used since midnight. */
export const spending = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.createIndex('runs_started').on('runs').column('started_at').execute()
  },
}
