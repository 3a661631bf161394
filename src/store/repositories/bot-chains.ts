/** Chains of bots that answer each other, kept so that a restart does not begin one anew (R27). */
import { z } from 'zod'
import type { Db } from '../store.ts'

/** How far bots have answered each other in a session without a person between them. */
export interface BotChain {
  /** Messages that were answered, oldest first. */
  readonly taken: readonly { readonly id: string; readonly user: string }[]
  /** Wall time of the last of them; milliseconds. */
  readonly lastAt: number
}

const takenSchema = z.array(z.strictObject({ id: z.string(), user: z.string() }))

/** Undefined where no bot has been answered yet. It may be over: the gateway judges that. */
export async function botChain(db: Db, sessionId: string): Promise<BotChain | undefined> {
  const row = await db
    .selectFrom('bot_chains')
    .select(['taken', 'last_at'])
    .where('session_id', '=', sessionId)
    .executeTakeFirst()
  return row && { taken: takenSchema.parse(JSON.parse(row.taken)), lastAt: Number(row.last_at) }
}

/** Writes a chain in the place of the one that was read; false when another process came first. */
export async function replaceBotChain(
  db: Db,
  sessionId: string,
  before: BotChain | undefined,
  after: BotChain,
): Promise<boolean> {
  const values = { taken: JSON.stringify(after.taken), last_at: after.lastAt }
  if (!before) {
    const insert = db.insertInto('bot_chains').values({ session_id: sessionId, ...values })
    const { numInsertedOrUpdatedRows } = await insert.onConflict((oc) => oc.doNothing()).executeTakeFirst()
    return Number(numInsertedOrUpdatedRows ?? 0) > 0
  }
  const { numUpdatedRows } = await db
    .updateTable('bot_chains')
    .set(values)
    .where('session_id', '=', sessionId)
    .where('taken', '=', JSON.stringify(before.taken))
    .where('last_at', '=', before.lastAt)
    .executeTakeFirst()
  return Number(numUpdatedRows) > 0
}

/** Who caused the newest run of a session, and when it began. */
export async function newestRequester(
  db: Db,
  sessionId: string,
): Promise<{ readonly requester: string; readonly startedAt: number } | undefined> {
  const row = await db
    .selectFrom('runs')
    .select(['requester', 'started_at'])
    .where('session_id', '=', sessionId)
    .orderBy('started_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && { requester: row.requester, startedAt: Number(row.started_at) }
}
