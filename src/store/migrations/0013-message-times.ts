import { type Kysely, sql } from 'kysely'
import type { StoreDialect } from '../dialects/dialect.ts'

/**
 * Keys of Feishu's messages (ids that begin with `om_`) have the moment before the id, so that their index grows
 * at its end; those of stored messages, too, since a copy may still come. Recalls are found by their order.
 *
 * PostgreSQL reads the moment from the text: its JSON types refuse what JSON text may hold, an escaped NUL, say. Inside
 * a string of the payload the quotes of the name would be escaped.
 */
export function messageTimes(dialect: StoreDialect) {
  const isServer = dialect.name === 'postgres'
  const moment = isServer
    ? sql`substring(payload from '"sentAt":([0-9]+)')`
    : sql`json_extract(payload, '$.sentAt')`
  const padded = isServer ? sql`lpad(${moment}, 13, '0')` : sql`printf('%013d', ${moment})`
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      // A week of events may take longer than any other statement may.
      if (isServer) await sql`set local statement_timeout = 0`.execute(db)
      await sql`update inbox set dedupe = bot_id || ':m:' || ${padded} || substr(dedupe, length(bot_id) + 3)
        where kind != 'event' and cast(${moment} as bigint) > 0
          and substr(dedupe, 1, length(bot_id) + 6) = bot_id || ':m:om_'`.execute(db)
      await sql`create index inbox_recalls on inbox (id) where kind = 'event'`.execute(db)
    },
  }
}
