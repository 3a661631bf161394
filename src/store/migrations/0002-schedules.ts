import { type Kysely, sql } from 'kysely'

/** Schedules, their slots, and changes that wait for a click. */
export const schedules = {
  async up(db: Kysely<unknown>): Promise<void> {
    await createSchedules(db)
    await createSlots(db)
    await createProposals(db)
    await db.schema
      .alterTable('sessions')
      .addColumn('wait_until', 'bigint', (c) => c.notNull().defaultTo(0))
      .execute()
  },
}

async function createSchedules(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('schedules')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('reason', 'text')
    .addColumn('spec', 'text', (c) => c.notNull())
    .addColumn('bot_id', 'text', (c) => c.notNull())
    .addColumn('chat_id', 'text', (c) => c.notNull())
    .addColumn('creator', 'text', (c) => c.notNull())
    .addColumn('authority', 'text', (c) => c.notNull())
    .addColumn('last_slot', 'text')
    .addColumn('next_slot', 'text')
    .addColumn('next_due', 'bigint')
    .addColumn('next_at', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('schedules_due')
    .on('schedules')
    .column('next_at')
    .where(sql.ref('next_at'), 'is not', null)
    .execute()
  await db.schema.createIndex('schedules_chat').on('schedules').columns(['bot_id', 'chat_id']).execute()
}

async function createSlots(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('schedule_slots')
    .addColumn('schedule_id', 'text', (c) => c.notNull())
    .addColumn('slot', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('due_at', 'bigint', (c) => c.notNull())
    .addColumn('session_id', 'text', (c) => c.notNull())
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('run_id', 'text', (c) => c.notNull())
    .addColumn('outbox_from', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('claimed_until', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('notes', 'text', (c) => c.notNull().defaultTo('[]'))
    .addColumn('size', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('cost', 'double precision')
    .addColumn('currency', 'text')
    .addColumn('deliveries', 'text', (c) => c.notNull().defaultTo('[]'))
    .addColumn('error', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addPrimaryKeyConstraint('schedule_slots_pk', ['schedule_id', 'slot'])
    .execute()
  await db.schema
    .createIndex('schedule_slots_open')
    .on('schedule_slots')
    .columns(['schedule_id', 'due_at'])
    .where(sql.ref('ended_at'), 'is', null)
    .execute()
  await db.schema
    .createIndex('schedule_slots_session')
    .on('schedule_slots')
    .columns(['session_id', 'created_at'])
    .execute()
}

async function createProposals(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('schedule_proposals')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('once', 'text', (c) => c.notNull())
    .addColumn('nonce', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('schedule_id', 'text', (c) => c.notNull())
    .addColumn('spec', 'text', (c) => c.notNull())
    .addColumn('asker', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('decided_by', 'text')
    .addColumn('decided_name', 'text')
    .addColumn('decided_at', 'bigint')
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('schedule_proposals_once')
    .on('schedule_proposals')
    .column('once')
    .unique()
    .execute()
}
