/** Rows of `audit`, oldest first. This file knows order and locking, not what a hash means. */
import type { Insertable, Kysely, Selectable, Transaction } from 'kysely'
import type { Database } from '../schema.ts'
import type { AuditTable } from '../tables/approval.ts'

/** One link of the chain, as it was hashed. */
export type AuditRow = Selectable<AuditTable>

/** Binds the queries to a connection or to a running transaction. */
export function createAuditRows(db: Kysely<Database> | Transaction<Database>) {
  return {
    /**
     * Makes this transaction the only writer of the chain until it ends. SQLite has one writer
     * anyway; PostgreSQL holds the row that this statement touches.
     */
    lock: async (): Promise<void> => {
      await db
        .insertInto('locks')
        .values({ name: 'audit', owner: 'audit', until: 0 })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ owner: 'audit' }))
        .execute()
    },

    insert: async (rows: readonly Insertable<AuditTable>[]): Promise<void> => {
      await db.insertInto('audit').values(rows).execute()
    },

    last: (): Promise<Pick<AuditRow, 'id' | 'hash'> | undefined> =>
      db.selectFrom('audit').select(['id', 'hash']).orderBy('id', 'desc').limit(1).executeTakeFirst(),

    after: (id: number, limit: number): Promise<AuditRow[]> =>
      db.selectFrom('audit').selectAll().where('id', '>', id).orderBy('id').limit(limit).execute(),

    newest: (limit: number): Promise<AuditRow[]> =>
      db.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(limit).execute(),
  }
}
