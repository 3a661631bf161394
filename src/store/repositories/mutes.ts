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

/** The later word counts: a time in the past ends it. */
export async function setMuted(db: Db, { botId, chatId }: Chat, until: number, by: string): Promise<void> {
  await db
    .insertInto('approval_mutes')
    .values({ bot_id: botId, chat_id: chatId, until, muted_by: by })
    .onConflict((oc) => oc.columns(['bot_id', 'chat_id']).doUpdateSet({ until, muted_by: by }))
    .execute()
}
