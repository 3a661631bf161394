/** Tokens that runs have used, by chat. */
import type { Db } from '../store.ts'

export interface ChatSpending {
  readonly botId: string
  readonly chatId: string
  readonly chatType: 'direct' | 'group'
  /** Input that was not cached, and output. */
  readonly tokens: number
}

/** Of the day that began at `since`, by whichever runs, whether or not they are over. */
export async function spentSince(db: Db, since: number): Promise<ChatSpending[]> {
  const rows = await db
    .selectFrom('runs')
    .innerJoin('sessions', 'sessions.id', 'runs.session_id')
    .select(({ fn }) => [
      'sessions.bot_id as botId',
      'sessions.chat_id as chatId',
      'sessions.chat_type as chatType',
      // A sum of big integers comes from PostgreSQL as text.
      fn.sum<number | string>('day_tokens').as('tokens'),
    ])
    .where('runs.day_from', '>=', since)
    .groupBy(['sessions.bot_id', 'sessions.chat_id', 'sessions.chat_type'])
    .execute()
  return rows.map(({ tokens, ...chat }) => ({ ...chat, tokens: Number(tokens) }))
}
