/** Schedules. The next time of each is a column with an index, so that asking what is due reads only that. */
import type { Insertable, Updateable } from 'kysely'
import type { ScheduleRow } from '../schema.ts'
import type { Db } from '../store.ts'
import type { SchedulesTable } from '../tables/schedule.ts'

/** Inserts a schedule, or replaces the one of the same id. */
export async function saveSchedule(db: Db, row: Insertable<SchedulesTable>): Promise<void> {
  const { id: _, created_at: __, ...changes } = row
  await db
    .insertInto('schedules')
    .values(row)
    .onConflict((oc) => oc.column('id').doUpdateSet(changes))
    .execute()
}

/** Without a condition: for changes that any state allows. */
export async function updateSchedule(db: Db, id: string, changes: Updateable<SchedulesTable>): Promise<void> {
  await db.updateTable('schedules').set(changes).where('id', '=', id).execute()
}

/** A schedule that is not deleted. */
export async function findSchedule(db: Db, id: string): Promise<ScheduleRow | undefined> {
  return db
    .selectFrom('schedules')
    .selectAll()
    .where('id', '=', id)
    .where('state', '!=', 'deleted')
    .executeTakeFirst()
}

/** Schedules by age: of one chat, of one person, or all. */
export async function listSchedules(
  db: Db,
  filter: { chat?: { botId: string; chatId: string }; creator?: string },
  limit: number,
): Promise<ScheduleRow[]> {
  const { chat, creator } = filter
  return db
    .selectFrom('schedules')
    .selectAll()
    .where('state', '!=', 'deleted')
    .$if(chat !== undefined || creator !== undefined, (query) =>
      query.where((eb) =>
        eb.or([
          ...(chat ? [eb.and([eb('bot_id', '=', chat.botId), eb('chat_id', '=', chat.chatId)])] : []),
          ...(creator === undefined ? [] : [eb('creator', '=', creator)]),
        ]),
      ),
    )
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Paused ones too, deleted ones not. */
export async function schedulesOfSource(db: Db, source: ScheduleRow['source']): Promise<ScheduleRow[]> {
  return db
    .selectFrom('schedules')
    .selectAll()
    .where('source', '=', source)
    .where('state', '!=', 'deleted')
    .execute()
}

/** How many schedules of a person are not over. */
export async function countSchedules(db: Db, creator: string): Promise<number> {
  const row = await db
    .selectFrom('schedules')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('creator', '=', creator)
    .where('state', 'in', ['active', 'paused'])
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

/** When the next schedule is due; undefined when none is. One look into the index. */
export async function nextDueAt(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom('schedules')
    .select('next_at')
    .where('next_at', 'is not', null)
    .orderBy('next_at')
    .limit(1)
    .executeTakeFirst()
  return row?.next_at ?? undefined
}

/** Those whose next time has come at `now`, the longest due first. */
export async function dueSchedules(db: Db, now: number, limit: number): Promise<ScheduleRow[]> {
  return db
    .selectFrom('schedules')
    .selectAll()
    .where('next_at', 'is not', null)
    .where('next_at', '<=', now)
    .orderBy('next_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Moves a schedule on from the time that is due; false when another process did, or it was changed. */
export async function advanceSchedule(
  db: Db,
  from: Pick<ScheduleRow, 'id' | 'next_slot' | 'next_at'>,
  to: Pick<ScheduleRow, 'state' | 'last_slot' | 'next_slot' | 'next_due' | 'next_at'>,
): Promise<boolean> {
  const result = await db
    .updateTable('schedules')
    .set(to)
    .where('id', '=', from.id)
    .where('state', '=', 'active')
    .where('next_slot', '=', from.next_slot)
    .where('next_at', '=', from.next_at)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}
