import { type Kysely, sql } from 'kysely'

/** Who holds what is under way, and what a message says, so that a replay under new ids is known. */
export const ownership = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('outbox').addColumn('owner', 'text').execute()
    await db.schema.alterTable('remote_calls').addColumn('owner', 'text').execute()
    await db.schema.alterTable('inbox').addColumn('fingerprint', 'text').execute()
    await sql`create unique index inbox_fingerprint on inbox (fingerprint) where fingerprint is not null`.execute(
      db,
    )
  },
}
