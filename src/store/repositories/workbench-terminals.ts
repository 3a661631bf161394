/** Terminals. A live row belongs to a process; when that process is gone, so is the terminal. */
import type { Insertable, Updateable } from 'kysely'
import type { WorkbenchTerminalRow } from '../schema.ts'
import type { Db } from '../store.ts'
import type { WorkbenchTerminalsTable } from '../tables/workbench.ts'

/** Rejects when the id is taken. */
export async function insertTerminal(db: Db, row: Insertable<WorkbenchTerminalsTable>): Promise<void> {
  await db.insertInto('workbench_terminals').values(row).execute()
}

/** Only the row; the process is ended before. */
export async function deleteTerminal(db: Db, id: string): Promise<void> {
  await db.deleteFrom('workbench_terminals').where('id', '=', id).execute()
}

/** Terminals of workspaces, oldest first. */
export async function terminalsOf(db: Db, sessionIds: readonly string[]): Promise<WorkbenchTerminalRow[]> {
  if (sessionIds.length === 0) return []
  return db
    .selectFrom('workbench_terminals')
    .selectAll()
    .where('session_id', 'in', [...sessionIds])
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Ends a live terminal; false when it had ended before. */
export async function endTerminal(
  db: Db,
  id: string,
  end: Updateable<WorkbenchTerminalsTable>,
): Promise<boolean> {
  const result = await db
    .updateTable('workbench_terminals')
    .set(end)
    .where('id', '=', id)
    .where('state', '=', 'live')
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/** Live terminals of processes that are not among `present`: they ended with their process. Returns their ids. */
export async function loseTerminals(db: Db, present: readonly string[], now: number): Promise<string[]> {
  const rows = await db
    .updateTable('workbench_terminals')
    .set({ state: 'lost', reason: 'crashed', ended_at: now })
    .where('state', '=', 'live')
    .where('owner', 'not in', [...present])
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}

/** Forgets the oldest ended terminals of a workspace beyond `keep`. */
export async function pruneTerminals(db: Db, sessionId: string, keep: number): Promise<void> {
  const old = await db
    .selectFrom('workbench_terminals')
    .select('id')
    .where('session_id', '=', sessionId)
    .where('state', '!=', 'live')
    .orderBy('created_at', 'desc')
    .offset(keep)
    .limit(1_000)
    .execute()
  for (const { id } of old) await deleteTerminal(db, id)
}
