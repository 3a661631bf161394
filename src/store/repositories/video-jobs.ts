/** Videos that are being made elsewhere: who waits for which, and when to ask again. */
import type { Insertable } from 'kysely'
import type { VideoJobRow } from '../schema.ts'
import type { Db } from '../store.ts'
import type { VideoJobsTable } from '../tables/workbench.ts'

/** Before the video is asked for, so that a crash in between leaves a trace. */
export async function insertVideoJob(db: Db, row: Insertable<VideoJobsTable>): Promise<void> {
  await db.insertInto('video_jobs').values(row).execute()
}

/** The task is known: from now on it is asked about. */
export async function startVideoJob(db: Db, id: string, taskId: string, nextAt: number): Promise<void> {
  await db
    .updateTable('video_jobs')
    .set({ task_id: taskId, state: 'running', next_at: nextAt })
    .where('id', '=', id)
    .execute()
}

/** For the limit of a session. */
export async function runningVideoJobs(db: Db, sessionId: string): Promise<number> {
  const { count } = await db
    .selectFrom('video_jobs')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('session_id', '=', sessionId)
    .where('state', '=', 'running')
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Jobs to ask about at `now`, the longest due first. */
export async function dueVideoJobs(db: Db, now: number, limit: number): Promise<VideoJobRow[]> {
  return db
    .selectFrom('video_jobs')
    .selectAll()
    .where('state', '=', 'running')
    .where('next_at', '<=', now)
    .orderBy('next_at')
    .limit(limit)
    .execute()
}

/** Takes a due job for a while; false when another process took it first. */
export async function claimVideoJob(db: Db, row: VideoJobRow, until: number): Promise<boolean> {
  const result = await db
    .updateTable('video_jobs')
    .set({ next_at: until })
    .where('id', '=', row.id)
    .where('state', '=', 'running')
    .where('next_at', '=', row.next_at)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Asks again at `nextAt`, wall time in milliseconds. */
export async function delayVideoJob(db: Db, id: string, nextAt: number): Promise<void> {
  await db.updateTable('video_jobs').set({ next_at: nextAt }).where('id', '=', id).execute()
}

/** Nobody asks about it any more; `error` says why there is no video. */
export async function endVideoJob(
  db: Db,
  id: string,
  state: 'done' | 'failed',
  error: string | null,
): Promise<void> {
  await db.updateTable('video_jobs').set({ state, error }).where('id', '=', id).execute()
}
