import type { Kysely } from 'kysely'

/** How long bots have talked with each other, and chats whose approvers want no requests for a while. */
export const quiet = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('bot_chains')
      .addColumn('session_id', 'text', (c) => c.primaryKey())
      .addColumn('taken', 'text', (c) => c.notNull())
      .addColumn('last_at', 'bigint', (c) => c.notNull())
      .execute()
    await db.schema
      .createTable('approval_mutes')
      .addColumn('bot_id', 'text', (c) => c.notNull())
      .addColumn('chat_id', 'text', (c) => c.notNull())
      .addColumn('until', 'bigint', (c) => c.notNull())
      .addColumn('muted_by', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('approval_mutes_pk', ['bot_id', 'chat_id'])
      .execute()
  },
}
