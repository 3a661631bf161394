import { type Kysely, sql } from 'kysely'
import type { StoreDialect } from '../dialects/dialect.ts'

/**
 * Keys of Feishu's messages (ids that begin with `om_`) have the moment before the id, so that their index grows
 * at its end; those of stored messages, too, since a copy may still come. Recalls are found by their order.
 */
export function messageTimes(dialect: StoreDialect) {
  const field =
    dialect.name === 'postgres'
      ? (name: string) => sql`payload::jsonb ->> ${sql.lit(name)}`
      : (name: string) => sql`json_extract(payload, ${sql.lit(`$.${name}`)})`
  const moment =
    dialect.name === 'postgres'
      ? sql`lpad(${field('sentAt')}, 13, '0')`
      : sql`printf('%013d', ${field('sentAt')})`
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await sql`update inbox set dedupe = bot_id || ':m:' || ${moment} || ':' || (${field('messageId')})
        where kind != 'event' and cast(${field('sentAt')} as bigint) > 0 and substr(dedupe, 1, length(bot_id) + 6) = bot_id || ':m:om_'`.execute(
        db,
      )
      await sql`create index inbox_recalls on inbox (id) where kind = 'event'`.execute(db)
    },
  }
}
