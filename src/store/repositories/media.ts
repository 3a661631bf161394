/** Files that people sent: which are on disk, and where. */
import type { Selectable } from 'kysely'
import type { Db } from '../store.ts'
import type { MediaTable } from '../tables/intake.ts'

/** One file of a message, with its place on disk once it was fetched. */
export type MediaRow = Selectable<MediaTable>

/** In the order in which they stand in the message. */
export async function mediaOf(db: Db, sessionId: string, messageId: string): Promise<MediaRow[]> {
  return db
    .selectFrom('media')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('message_id', '=', messageId)
    .orderBy('position')
    .execute()
}

/** Records the outcome of a download; a second try of the same position replaces the first. */
export async function saveMedia(db: Db, row: MediaRow): Promise<void> {
  await db
    .insertInto('media')
    .values(row)
    .onConflict((oc) =>
      oc.columns(['session_id', 'message_id', 'position']).doUpdateSet({
        state: row.state,
        name: row.name,
        path: row.path,
        bytes: row.bytes,
        error: row.error,
      }),
    )
    .execute()
}
