/** Slots: one time of a schedule each, from the claim to the platform's confirmation. */
import type { Insertable, Updateable } from 'kysely'
import type { OutboxRow, ScheduleSlotRow } from '../schema.ts'
import type { Db } from '../store.ts'
import type { ScheduleSlotsTable } from '../tables/schedule.ts'

type SlotKey = Pick<ScheduleSlotRow, 'schedule_id' | 'slot'>

/** Claims a slot; false when it was there before, here or in another process. */
export async function insertSlot(db: Db, row: Insertable<ScheduleSlotsTable>): Promise<boolean> {
  const result = await db
    .insertInto('schedule_slots')
    .values(row)
    .onConflict((oc) => oc.columns(['schedule_id', 'slot']).doNothing())
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Changes a slot that is in one of these states; false when it is not. */
export async function moveSlot(
  db: Db,
  key: SlotKey,
  from: readonly ScheduleSlotRow['state'][],
  changes: Updateable<ScheduleSlotsTable>,
): Promise<boolean> {
  const result = await db
    .updateTable('schedule_slots')
    .set(changes)
    .where('schedule_id', '=', key.schedule_id)
    .where('slot', '=', key.slot)
    .where('state', 'in', [...from])
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/** `slot` is the key of the time within its schedule. */
export async function findSlot(
  db: Db,
  scheduleId: string,
  slot: string,
): Promise<ScheduleSlotRow | undefined> {
  return db
    .selectFrom('schedule_slots')
    .selectAll()
    .where('schedule_id', '=', scheduleId)
    .where('slot', '=', slot)
    .executeTakeFirst()
}

/** Undefined for a run that no schedule began. */
export async function slotOfRun(
  db: Db,
  sessionId: string,
  runId: string,
): Promise<ScheduleSlotRow | undefined> {
  return db
    .selectFrom('schedule_slots')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('run_id', '=', runId)
    .executeTakeFirst()
}

/** Slots of a schedule that are not over, oldest first. Previews stand beside the schedule's own. */
export async function openSlots(db: Db, scheduleId: string): Promise<ScheduleSlotRow[]> {
  return db
    .selectFrom('schedule_slots')
    .selectAll()
    .where('schedule_id', '=', scheduleId)
    .where('ended_at', 'is', null)
    .orderBy('due_at')
    .orderBy('created_at')
    .orderBy('slot')
    .execute()
}

/** Schedules that have slots which are not over. */
export async function schedulesWithOpenSlots(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('schedule_slots')
    .select('schedule_id')
    .distinct()
    .where('ended_at', 'is', null)
    .execute()
  return rows.map((row) => row.schedule_id)
}

/** Id of the schedule that last ran in this session; undefined for a session of people. */
export async function scheduleOfSession(db: Db, sessionId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('schedule_slots')
    .select('schedule_id')
    .where('session_id', '=', sessionId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.schedule_id
}

/** Newest first. */
export async function recentSlots(db: Db, scheduleId: string, limit: number): Promise<ScheduleSlotRow[]> {
  return db
    .selectFrom('schedule_slots')
    .selectAll()
    .where('schedule_id', '=', scheduleId)
    .where('kind', '!=', 'preview')
    .orderBy('created_at', 'desc')
    .orderBy('due_at', 'desc')
    .limit(limit)
    .execute()
}

/** The newest row id of the outbox: what comes later is above it. */
export async function newestMailId(db: Db): Promise<number> {
  const row = await db
    .selectFrom('outbox')
    .select((eb) => eb.fn.max('id').as('id'))
    .executeTakeFirst()
  return Number(row?.id ?? 0)
}

/** What a slot sends: its texts, pictures and files, in order. Cards that ask are no delivery. */
export async function mailOfSlot(
  db: Db,
  slot: Pick<ScheduleSlotRow, 'session_id' | 'outbox_from'>,
): Promise<OutboxRow[]> {
  return db
    .selectFrom('outbox')
    .selectAll()
    .where('session_id', '=', slot.session_id)
    .where('id', '>', slot.outbox_from)
    .where((eb) =>
      eb.or([eb('ref', 'like', 'final:%'), eb('ref', 'like', 'file:%'), eb('ref', 'like', 'report:%')]),
    )
    .orderBy('id')
    .execute()
}
