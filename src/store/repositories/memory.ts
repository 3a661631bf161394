/** Remembered facts, their search tokens, and blocks. Every query names the scopes it may see. */
import type { LogEntry } from '../../protocol/session-log.ts'
import type { MemoryBlockRow, MemoryFactRow } from '../schema.ts'
import type { Db } from '../store.ts'

/** Undefined where the key is free in this scope. */
export async function factByKey(db: Db, scope: string, key: string): Promise<MemoryFactRow | undefined> {
  return db
    .selectFrom('memory_facts')
    .selectAll()
    .where('scope', '=', scope)
    .where('key', '=', key)
    .executeTakeFirst()
}

/** All facts of these scopes, newest first. The number per scope is bounded by whoever writes. */
export async function factsOf(db: Db, scopes: readonly string[]): Promise<MemoryFactRow[]> {
  return db
    .selectFrom('memory_facts')
    .selectAll()
    .where('scope', 'in', [...scopes])
    .orderBy('updated_at', 'desc')
    .orderBy('id')
    .execute()
}

/** For the limit of a scope. */
export async function countFacts(db: Db, scope: string): Promise<number> {
  const row = await db
    .selectFrom('memory_facts')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where('scope', '=', scope)
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

/** Writes a fact and the tokens it is found by; an earlier fact of the same key is replaced. */
export async function saveFact(
  db: Db,
  row: MemoryFactRow,
  tokens: ReadonlyMap<string, number>,
): Promise<void> {
  await deleteFact(db, [row.scope], row.id)
  await db.insertInto('memory_facts').values(row).execute()
  const rows = [...tokens].map(([token, count]) => ({ scope: row.scope, token, fact_id: row.id, count }))
  if (rows.length > 0) await db.insertInto('memory_tokens').values(rows).execute()
}

/** False when there is no such fact in these scopes. */
export async function deleteFact(db: Db, scopes: readonly string[], id: string): Promise<boolean> {
  const gone = await db
    .deleteFrom('memory_facts')
    .where('id', '=', id)
    .where('scope', 'in', [...scopes])
    .returning('id')
    .executeTakeFirst()
  if (gone) await db.deleteFrom('memory_tokens').where('fact_id', '=', id).execute()
  return gone !== undefined
}

/** `vector` holds 32-bit floats, little endian; `model` says with which others it can be compared. */
export async function setVector(db: Db, id: string, vector: Uint8Array, model: string): Promise<void> {
  await db.updateTable('memory_facts').set({ vector, vector_model: model }).where('id', '=', id).execute()
}

/** Which facts of the scopes hold which of the tokens, and how often. */
export async function tokenHits(
  db: Db,
  scopes: readonly string[],
  tokens: readonly string[],
): Promise<{ token: string; fact_id: string; count: number }[]> {
  if (tokens.length === 0) return []
  return db
    .selectFrom('memory_tokens')
    .select(['token', 'fact_id', 'count'])
    .where('scope', 'in', [...scopes])
    .where('token', 'in', [...tokens])
    .execute()
}

/** Ordered by scope and name, so that a conversation opens with the same bytes. */
export async function blocksOf(db: Db, scopes: readonly string[]): Promise<MemoryBlockRow[]> {
  return db
    .selectFrom('memory_blocks')
    .selectAll()
    .where('scope', 'in', [...scopes])
    .orderBy('scope')
    .orderBy('name')
    .execute()
}

/** Replaces the whole block of that scope and name. */
export async function saveBlock(db: Db, row: MemoryBlockRow): Promise<void> {
  const { scope, name, ...content } = row
  await db
    .insertInto('memory_blocks')
    .values(row)
    .onConflict((oc) => oc.columns(['scope', 'name']).doUpdateSet(content))
    .execute()
}

/** False when there is no such block in this scope. */
export async function deleteBlock(db: Db, scope: string, name: string): Promise<boolean> {
  const gone = await db
    .deleteFrom('memory_blocks')
    .where('scope', '=', scope)
    .where('name', '=', name)
    .returning('name')
    .executeTakeFirst()
  return gone !== undefined
}

/**
 * Messages and answers that the newest summary of the current conversation replaced and that hold one
 * of the words, newest first. What a summary did not replace is still read by the model itself.
 */
export async function replacedEntries(
  db: Db,
  sessionId: string,
  words: readonly string[],
  limit: number,
): Promise<{ at: number; entry: LogEntry }[]> {
  const newest = await db
    .selectFrom('session_log')
    .innerJoin('sessions', 'sessions.id', 'session_log.session_id')
    .select(['session_log.payload', 'session_log.epoch'])
    .where('session_log.session_id', '=', sessionId)
    .where('session_log.type', '=', 'summary')
    .whereRef('session_log.epoch', '=', 'sessions.epoch')
    .orderBy('session_log.id', 'desc')
    .executeTakeFirst()
  if (!newest || words.length === 0) return []
  const { after } = JSON.parse(newest.payload) as { after: number }
  const rows = await db
    .selectFrom('session_log')
    .select(['payload', 'created_at'])
    .where('session_id', '=', sessionId)
    .where('epoch', '=', newest.epoch)
    .where('id', '<=', after)
    .where('type', 'in', ['user', 'assistant'])
    .where((eb) => eb.or(words.map((word) => eb(eb.fn('lower', ['payload']), 'like', `%${word}%`))))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ at: row.created_at, entry: JSON.parse(row.payload) as LogEntry }))
}
