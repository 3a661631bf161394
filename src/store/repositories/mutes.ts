/** Chats in which approvers want no requests for a while (C20). */
import type { Db } from '../store.ts'

interface Chat {
  readonly botId: string
  readonly chatId: string
}

/** Until when nobody is asked in the chat; wall time, 0 when nothing is muted. */
export async function mutedUntil(db: Db, { botId, chatId }: Chat): Promise<number> {
  const row = await db
    .selectFrom('approval_mutes')
    .select('until')
    .where('bot_id', '=', botId)
    .where('chat_id', '=', chatId)
    .executeTakeFirst()
  return Number(row?.until ?? 0)
}

/**
 * The word that was said later counts, and one with a time in the past ends a mute. False when a later one is
 * here already. One from the future is none: the clock was set back since.
 */
export async function setMuted(
  db: Db,
  { botId, chatId }: Chat,
  word: { readonly until: number; readonly saidAt: number; readonly by: string },
  now: number,
): Promise<boolean> {
  const values = { until: word.until, said_at: word.saidAt, muted_by: word.by }
  const written = await db
    .insertInto('approval_mutes')
    .values({ bot_id: botId, chat_id: chatId, ...values })
    .onConflict((oc) =>
      oc
        .columns(['bot_id', 'chat_id'])
        .doUpdateSet(values)
        .where((eb) =>
          eb.or([eb('approval_mutes.said_at', '<=', word.saidAt), eb('approval_mutes.said_at', '>', now)]),
        ),
    )
    .returning('said_at')
    .execute()
  return written.length > 0
}
