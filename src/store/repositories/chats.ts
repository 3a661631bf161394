/** Chats the bot is in, or was. */
import type { Db } from '../store.ts'

export type ChatState = 'present' | 'removed' | 'disbanded'

/** The newest word of the platform counts; a name that is known stays. */
export async function setChatState(
  db: Db,
  botId: string,
  chatId: string,
  state: ChatState,
  now: number,
): Promise<void> {
  await db
    .insertInto('chats')
    .values({ bot_id: botId, chat_id: chatId, state, name: null, updated_at: now })
    .onConflict((oc) => oc.columns(['bot_id', 'chat_id']).doUpdateSet({ state, updated_at: now }))
    .execute()
}

/** Undefined for a chat of which the platform has told nothing. */
export async function chatState(db: Db, botId: string, chatId: string): Promise<ChatState | undefined> {
  const row = await db
    .selectFrom('chats')
    .select('state')
    .where('bot_id', '=', botId)
    .where('chat_id', '=', chatId)
    .executeTakeFirst()
  return row?.state
}

/** The chat's name, if the platform ever told it. */
export async function chatName(db: Db, botId: string, chatId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('chats')
    .select('name')
    .where('bot_id', '=', botId)
    .where('chat_id', '=', chatId)
    .executeTakeFirst()
  return row?.name ?? undefined
}
