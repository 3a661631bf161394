import { type Kysely, sql } from 'kysely'

/**
 * Whose a waiting message is stands in the index itself, so that looking for a session's messages among all that
 * wait reads no other one. In the order of arrival: an event adds to the end of it, and touches one page
 * whatever session it is for. Nothing but what waits is in the indexes, and no row in both.
 */
export const waiting = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create index inbox_messages on inbox (id, session_id) where state = 'waiting' and kind = 'message'`.execute(
      db,
    )
    await sql`create index inbox_commands on inbox (id) where state = 'waiting' and kind != 'message'`.execute(
      db,
    )
    await db.schema.dropIndex('inbox_waiting').execute()
  },
}
