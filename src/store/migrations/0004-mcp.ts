import type { Kysely } from 'kysely'

/** Tools of other servers as they were agreed to, what a login left, and calls of remote clients. */
export const mcp = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('mcp_tools')
      .addColumn('server', 'text', (c) => c.notNull())
      .addColumn('tool', 'text', (c) => c.notNull())
      .addColumn('digest', 'text', (c) => c.notNull())
      .addColumn('definition', 'text', (c) => c.notNull())
      .addColumn('offered_digest', 'text')
      .addColumn('offered', 'text')
      .addColumn('approved_by', 'text')
      .addColumn('updated_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('mcp_tools_key', ['server', 'tool'])
      .execute()
    await db.schema
      .createTable('mcp_logins')
      .addColumn('server', 'text', (c) => c.primaryKey())
      .addColumn('url', 'text', (c) => c.notNull())
      .addColumn('data', 'text', (c) => c.notNull())
      .addColumn('updated_at', 'bigint', (c) => c.notNull())
      .execute()
    await db.schema
      .createTable('remote_calls')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('caller', 'text', (c) => c.notNull())
      .addColumn('session_id', 'text', (c) => c.notNull())
      .addColumn('tool', 'text', (c) => c.notNull())
      .addColumn('arguments', 'text', (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('approval_id', 'text')
      .addColumn('result', 'text')
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('updated_at', 'bigint', (c) => c.notNull())
      .execute()
    await db.schema
      .createIndex('remote_calls_caller')
      .on('remote_calls')
      .columns(['caller', 'state'])
      .execute()
    await db.schema.createIndex('remote_calls_session').on('remote_calls').column('session_id').execute()
  },
}
