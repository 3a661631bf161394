import type { Kysely } from 'kysely'

/** Terminals, the task board, and settings that stand above the configuration. */
export const workbench = {
  async up(db: Kysely<unknown>): Promise<void> {
    await terminals(db)
    await tasks(db)
    await db.schema
      .createTable('workbench_overrides')
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('id', 'text', (c) => c.notNull())
      .addColumn('data', 'text', (c) => c.notNull())
      .addColumn('updated_by', 'text', (c) => c.notNull())
      .addColumn('updated_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('workbench_overrides_key', ['kind', 'id'])
      .execute()
  },
}

async function terminals(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('workbench_terminals')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('session_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('folder', 'text', (c) => c.notNull())
    .addColumn('command', 'text')
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('reason', 'text')
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('tail', 'text', (c) => c.notNull())
    .addColumn('sequence', 'bigint', (c) => c.notNull())
    .addColumn('created_by', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .execute()
  await db.schema
    .createIndex('workbench_terminals_session')
    .on('workbench_terminals')
    .columns(['session_id', 'created_at'])
    .execute()
  await db.schema
    .createIndex('workbench_terminals_state')
    .on('workbench_terminals')
    .columns(['state', 'owner'])
    .execute()
}

async function tasks(db: Kysely<unknown>): Promise<void> {
  let table = db.schema.createTable('workbench_tasks').addColumn('id', 'text', (c) => c.primaryKey())
  for (const name of [
    ...['session_id', 'address', 'project_id', 'title', 'description', 'acceptance', 'priority'],
    ...['agent_type', 'stage', 'execution_state', 'output_tail', 'validations', 'nonce', 'created_by'],
  ]) {
    table = table.addColumn(name, 'text', (c) => c.notNull())
  }
  for (const name of [
    ...['profile_id', 'model_name', 'folder', 'terminal_id', 'run_id', 'prompt', 'requester', 'last_error'],
  ]) {
    table = table.addColumn(name, 'text')
  }
  for (const name of ['recurring', 'attempts', 'run_count', 'version']) {
    table = table.addColumn(name, 'integer', (c) => c.notNull())
  }
  await table
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('workbench_tasks_session')
    .on('workbench_tasks')
    .columns(['session_id', 'created_at'])
    .execute()
  await db.schema
    .createIndex('workbench_tasks_state')
    .on('workbench_tasks')
    .column('execution_state')
    .execute()
}
