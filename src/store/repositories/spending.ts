/** Tokens that runs have used, by chat. */
import type { Db } from '../store.ts'

export interface ChatSpending {
  readonly botId: string
  readonly chatId: string
  readonly chatType: 'direct' | 'group'
  /** Input that was not cached, and output. */
  readonly tokens: number
}

/** Of the runs that began since then, whether or not they are over. */
export async function spentSince(db: Db, since: number): Promise<ChatSpending[]> {
  const rows = await db
    .selectFrom('runs')
    .innerJoin('sessions', 'sessions.id', 'runs.session_id')
    .select(({ fn }) => [
      'sessions.bot_id as botId',
      'sessions.chat_id as chatId',
      'sessions.chat_type as chatType',
      // A sum of big integers comes from PostgreSQL as text.
      fn.sum<number | string>('input_tokens').as('input'),
      fn.sum<number | string>('cached_tokens').as('cached'),
      fn.sum<number | string>('output_tokens').as('output'),
    ])
    .where('runs.started_at', '>=', since)
    .groupBy(['sessions.bot_id', 'sessions.chat_id', 'sessions.chat_type'])
    .execute()
  return rows.map(({ input, cached, output, ...chat }) => ({
    ...chat,
    tokens: Number(input) - Number(cached) + Number(output),
  }))
}
