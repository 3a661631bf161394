import { type Kysely, sql } from 'kysely'
import type { StoreDialect } from '../dialects/dialect.ts'

/** What is remembered per chat and person, the words it is found by, and teams of helpers. */
export function memory(dialect: StoreDialect) {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await createMemory(db, dialect)
      await createTeams(db, dialect)
    },
  }
}

async function createMemory(db: Kysely<unknown>, dialect: StoreDialect): Promise<void> {
  await db.schema
    .createTable('memory_facts')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('scope', 'text', (c) => c.notNull())
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('author', 'text', (c) => c.notNull())
    .addColumn('tainted', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('vector', sql.raw(dialect.name === 'postgres' ? 'bytea' : 'blob'))
    .addColumn('vector_model', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('memory_facts_key')
    .on('memory_facts')
    .columns(['scope', 'key'])
    .unique()
    .execute()
  await db.schema
    .createTable('memory_tokens')
    .addColumn('scope', 'text', (c) => c.notNull())
    .addColumn('token', 'text', (c) => c.notNull())
    .addColumn('fact_id', 'text', (c) => c.notNull())
    .addColumn('count', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('memory_tokens_pk', ['scope', 'token', 'fact_id'])
    .execute()
  await db.schema.createIndex('memory_tokens_fact').on('memory_tokens').column('fact_id').execute()
  await db.schema
    .createTable('memory_blocks')
    .addColumn('scope', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('content', 'text', (c) => c.notNull())
    .addColumn('author', 'text', (c) => c.notNull())
    .addColumn('tainted', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('memory_blocks_pk', ['scope', 'name'])
    .execute()
}

async function createTeams(db: Kysely<unknown>, dialect: StoreDialect): Promise<void> {
  await db.schema
    .createTable('teams')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('session_id', 'text', (c) => c.notNull())
    .addColumn('members', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('teams_session').on('teams').column('session_id').execute()
  await db.schema
    .createTable('team_turns')
    .addColumn('id', dialect.rowIdType, (c) => dialect.rowId(c))
    .addColumn('team_id', 'text', (c) => c.notNull())
    .addColumn('member', 'text', (c) => c.notNull())
    .addColumn('prompt', 'text', (c) => c.notNull())
    .addColumn('answer', 'text', (c) => c.notNull())
    .addColumn('tainted', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('team_turns_team').on('team_turns').columns(['team_id', 'member']).execute()
}
