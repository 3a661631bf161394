/** Changes of schedules that wait for a click. The first decision wins; it never changes again. */
import type { Insertable } from 'kysely'
import type { ScheduleProposalRow } from '../schema.ts'
import type { Db } from '../store.ts'
import type { ScheduleProposalsTable } from '../tables/schedule.ts'

/** Stores a proposal and returns it; a repeated call gets the one that is there. */
export async function saveProposal(
  db: Db,
  row: Insertable<ScheduleProposalsTable>,
): Promise<ScheduleProposalRow> {
  await db
    .insertInto('schedule_proposals')
    .values(row)
    .onConflict((oc) => oc.column('once').doNothing())
    .execute()
  return db
    .selectFrom('schedule_proposals')
    .selectAll()
    .where('once', '=', row.once)
    .executeTakeFirstOrThrow()
}

/** Decided ones too. */
export async function findProposal(db: Db, id: string): Promise<ScheduleProposalRow | undefined> {
  return db.selectFrom('schedule_proposals').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The newest changes that wait for somebody. */
export async function pendingProposals(db: Db): Promise<ScheduleProposalRow[]> {
  return db
    .selectFrom('schedule_proposals')
    .selectAll()
    .where('status', '=', 'pending')
    .orderBy('created_at', 'desc')
    .limit(200)
    .execute()
}

/** Pending changes whose time is over, the oldest first. */
export async function dueProposals(db: Db, now: number): Promise<ScheduleProposalRow[]> {
  return db
    .selectFrom('schedule_proposals')
    .selectAll()
    .where('status', '=', 'pending')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(200)
    .execute()
}

/** Decides a pending proposal; false when somebody was faster. */
export async function decideProposal(
  db: Db,
  id: string,
  decision: Pick<ScheduleProposalRow, 'status' | 'decided_by' | 'decided_name' | 'decided_at'>,
): Promise<boolean> {
  const result = await db
    .updateTable('schedule_proposals')
    .set(decision)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}
