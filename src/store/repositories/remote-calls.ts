/** Calls of remote clients: kept, so that a result can be fetched again after a cut or a restart. */
import type { RemoteCallRow } from '../schema.ts'
import type { Db } from '../store.ts'

/** Rejects when the id is taken. */
export async function insertRemoteCall(
  db: Db,
  call: Pick<RemoteCallRow, 'id' | 'caller' | 'session_id' | 'tool' | 'arguments' | 'state'>,
  now: number,
): Promise<void> {
  await db
    .insertInto('remote_calls')
    .values({ ...call, approval_id: null, owner: null, result: null, created_at: now, updated_at: now })
    .execute()
}

/** A caller's own call; another caller's is not found. */
export function findRemoteCall(db: Db, caller: string, id: string): Promise<RemoteCallRow | undefined> {
  return db
    .selectFrom('remote_calls')
    .selectAll()
    .where('id', '=', id)
    .where('caller', '=', caller)
    .executeTakeFirst()
}

/** The same call of the same caller that still waits for a person. */
export function findWaitingCall(
  db: Db,
  same: Pick<RemoteCallRow, 'caller' | 'session_id' | 'tool' | 'arguments'>,
): Promise<RemoteCallRow | undefined> {
  return db
    .selectFrom('remote_calls')
    .selectAll()
    .where('caller', '=', same.caller)
    .where('session_id', '=', same.session_id)
    .where('state', '=', 'waiting')
    .where('tool', '=', same.tool)
    .where('arguments', '=', same.arguments)
    .where('approval_id', 'is not', null)
    .executeTakeFirst()
}

/** Binds a call to the approval that it waits for. */
export async function setRemoteApproval(db: Db, id: string, approvalId: string, now: number): Promise<void> {
  await db
    .updateTable('remote_calls')
    .set({ approval_id: approvalId, updated_at: now })
    .where('id', '=', id)
    .execute()
}

/** `waiting → begun` in the hands of `owner`; false when somebody else was first. */
export async function beginRemoteCall(db: Db, id: string, owner: string, now: number): Promise<boolean> {
  const result = await db
    .updateTable('remote_calls')
    .set({ state: 'begun', owner, updated_at: now })
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** `from → ended`; false when the call is no longer there, because somebody else took it further. */
export async function endRemoteCall(
  db: Db,
  call: Pick<RemoteCallRow, 'id'> & { readonly from: 'waiting' | 'begun' },
  result: string,
  now: number,
): Promise<boolean> {
  const updated = await db
    .updateTable('remote_calls')
    .set({ state: 'ended', result, updated_at: now })
    .where('id', '=', call.id)
    .where('state', '=', call.from)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

/** Calls that are not over, of sessions with this prefix. */
export function openRemoteCalls(db: Db, sessionPrefix: string): Promise<RemoteCallRow[]> {
  return db
    .selectFrom('remote_calls')
    .selectAll()
    .where('state', '!=', 'ended')
    .where('session_id', 'like', `${sessionPrefix}%`)
    .orderBy('created_at')
    .limit(500)
    .execute()
}

/** The newest calls of a caller, without their arguments and results. */
export function recentRemoteCalls(
  db: Db,
  caller: string,
  most: number,
): Promise<Pick<RemoteCallRow, 'id' | 'tool' | 'state'>[]> {
  return db
    .selectFrom('remote_calls')
    .select(['id', 'tool', 'state'])
    .where('caller', '=', caller)
    .orderBy('created_at', 'desc')
    .limit(most)
    .execute()
}

/** Forgets results older than `before`. */
export async function pruneRemoteCalls(db: Db, before: number): Promise<void> {
  await db.deleteFrom('remote_calls').where('updated_at', '<', before).execute()
}
