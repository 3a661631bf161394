/** Messages that were taken back: rows that stand for those that have not come, and what a recall must find. */
import { prepare } from '../prepared.ts'
import type { InboxRow, RunRow } from '../schema.ts'
import type { Db } from '../store.ts'

const after = prepare((db, p: { last: number }) =>
  db
    .selectFrom('inbox')
    .select(['id', 'dedupe'])
    .where('kind', '=', 'event')
    .where('id', '>', p.last)
    .orderBy('id'),
)

/** Recalls with a row id above `last`, in their order. */
export function recallsAfter(db: Db, last: number): Promise<Pick<InboxRow, 'id' | 'dedupe'>[]> {
  return after.all(db, { last })
}

/** Messages and commands of a chat that nobody has taken, topics included. */
export async function waitingInChat(
  db: Db,
  botId: string,
  chatId: string,
): Promise<Pick<InboxRow, 'id' | 'payload'>[]> {
  const sessions = db
    .selectFrom('sessions')
    .select('id')
    .where('bot_id', '=', botId)
    .where('chat_id', '=', chatId)
  // Each has its own index of what waits.
  const [messages, commands] = await Promise.all(
    (['=', '!='] as const).map((kind) =>
      db
        .selectFrom('inbox')
        .select(['id', 'payload'])
        .where('state', '=', 'waiting')
        .where('kind', kind, 'message')
        .where('session_id', 'in', sessions)
        .execute(),
    ),
  )
  return [...(messages ?? []), ...(commands ?? [])]
}

/** The run of a chat that answers this message and is not over. */
export async function openRunFor(
  db: Db,
  place: { readonly botId: string; readonly chatId: string },
  replyTo: string,
): Promise<Pick<RunRow, 'session_id' | 'requester'> | undefined> {
  return db
    .selectFrom('runs')
    .innerJoin('sessions', 'sessions.id', 'runs.session_id')
    .select(['runs.session_id', 'runs.requester'])
    .where('runs.ended_at', 'is', null)
    .where('runs.reply_to', '=', replyTo)
    .where('sessions.bot_id', '=', place.botId)
    .where('sessions.chat_id', '=', place.chatId)
    .executeTakeFirst()
}
