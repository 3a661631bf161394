/** The task board. Every change names the version it was decided on; the first one wins. */
import type { Insertable, Updateable } from 'kysely'
import type { WorkbenchTaskRow } from '../schema.ts'
import type { Db } from '../store.ts'
import type { WorkbenchTasksTable } from '../tables/workbench.ts'

/** Returns the row as the database has it. */
export async function insertTask(db: Db, row: Insertable<WorkbenchTasksTable>): Promise<WorkbenchTaskRow> {
  return db.insertInto('workbench_tasks').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Of any workspace: who may see it is judged by the caller. */
export async function findTask(db: Db, id: string): Promise<WorkbenchTaskRow | undefined> {
  return db.selectFrom('workbench_tasks').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Tasks of a workspace, oldest first. */
export async function tasksOf(db: Db, sessionId: string): Promise<WorkbenchTaskRow[]> {
  return db
    .selectFrom('workbench_tasks')
    .selectAll()
    .where('session_id', '=', sessionId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Tasks whose run has not been settled. */
export async function activeTasks(db: Db): Promise<WorkbenchTaskRow[]> {
  return db
    .selectFrom('workbench_tasks')
    .selectAll()
    .where('execution_state', '=', 'active')
    .limit(1_000)
    .execute()
}

/** Changes the task as it was read; undefined when somebody changed it meanwhile. */
export async function changeTask(
  db: Db,
  seen: Pick<WorkbenchTaskRow, 'id' | 'version'>,
  change: Updateable<WorkbenchTasksTable>,
): Promise<WorkbenchTaskRow | undefined> {
  return db
    .updateTable('workbench_tasks')
    .set({ ...change, version: seen.version + 1 })
    .where('id', '=', seen.id)
    .where('version', '=', seen.version)
    .returningAll()
    .executeTakeFirst()
}

/** Deletes the task as it was read; false when somebody changed it meanwhile. */
export async function deleteTask(db: Db, seen: Pick<WorkbenchTaskRow, 'id' | 'version'>): Promise<boolean> {
  const result = await db
    .deleteFrom('workbench_tasks')
    .where('id', '=', seen.id)
    .where('version', '=', seen.version)
    .executeTakeFirst()
  return result.numDeletedRows > 0n
}

/** A closed terminal is nobody's preferred one. */
export async function forgetTerminal(db: Db, terminalId: string): Promise<void> {
  await db
    .updateTable('workbench_tasks')
    .set((eb) => ({ terminal_id: null, version: eb('version', '+', 1) }))
    .where('terminal_id', '=', terminalId)
    .execute()
}
