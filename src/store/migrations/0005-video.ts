import type { Kysely } from 'kysely'

/** Videos that are being made elsewhere. */
export const video = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('video_jobs')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('session_id', 'text', (c) => c.notNull())
      .addColumn('address', 'text', (c) => c.notNull())
      .addColumn('task_id', 'text')
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('error', 'text')
      .addColumn('next_at', 'bigint', (c) => c.notNull())
      .addColumn('deadline', 'bigint', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .execute()
    await db.schema.createIndex('video_jobs_due').on('video_jobs').columns(['state', 'next_at']).execute()
  },
}
