import { type Kysely, sql } from 'kysely'

/** What a run has used of the day that it is in, so that a run over midnight counts for both days. */
export const spendingDays = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('runs').addColumn('day_from', 'bigint').execute()
    await db.schema
      .alterTable('runs')
      .addColumn('day_tokens', 'bigint', (c) => c.notNull().defaultTo(0))
      .execute()
    // Older runs can be of no day that is still counted. That of a run began no later than the run did.
    await sql`update runs set day_from = started_at, day_tokens = input_tokens - cached_tokens + output_tokens
      where started_at > (select max(started_at) from runs) - 172800000`.execute(db)
    await sql`create index runs_day on runs (day_from) where day_from is not null`.execute(db)
  },
}
