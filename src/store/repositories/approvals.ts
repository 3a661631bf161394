/**
 * Rows of `approvals` and the grants in `sessions`. Every change of a status is one UPDATE that
 * names the status it starts from, so of two writers exactly one wins on either database.
 */
import type { Insertable, Kysely, Transaction } from 'kysely'
import type { ApprovalRow, Database } from '../schema.ts'
import type { ApprovalsTable } from '../tables/approval.ts'

export type ApprovalStatus = ApprovalRow['status']

/** What a decision writes. */
export interface DecisionValues {
  readonly status: 'approved' | 'denied'
  readonly scope: 'once' | 'session' | null
  readonly by: string
  readonly name: string | null
  readonly reason: string | null
  /** Until when it can be used, for an approval; wall time. */
  readonly startBy?: number
}

type Connection = Kysely<Database> | Transaction<Database>

/** On the database or on an open transaction, which is given when it is made. */
export type ApprovalsRepository = ReturnType<typeof createApprovalRows>

/** Binds the queries to a connection or to a running transaction. */
export function createApprovalRows(db: Connection) {
  return { ...single(db), ...lists(db), ...transitions(db), ...surroundings(db) }
}

/** One row at a time. */
function single(db: Connection) {
  return {
    insert: async (row: Insertable<ApprovalsTable>): Promise<void> => {
      await db.insertInto('approvals').values(row).execute()
    },

    byId: (id: string): Promise<ApprovalRow | undefined> =>
      db.selectFrom('approvals').selectAll().where('id', '=', id).executeTakeFirst(),

    /** Newest row of a call; there are several when the call changed after an approval. */
    byCall: (sessionId: string, callId: string): Promise<ApprovalRow | undefined> =>
      db
        .selectFrom('approvals')
        .selectAll()
        .where('session_id', '=', sessionId)
        .where('call_id', '=', callId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .executeTakeFirst(),

    /** The row a person means with a code: pending first, else the newest with that code. */
    byCode: async (botId: string, code: string): Promise<ApprovalRow | undefined> => {
      const rows = await db
        .selectFrom('approvals')
        .selectAll()
        .where('bot_id', '=', botId)
        .where('code', '=', code)
        .orderBy('created_at', 'desc')
        .limit(20)
        .execute()
      return rows.find((row) => row.status === 'pending') ?? rows[0]
    },
  }
}

/** Rows by what they have in common. */
function lists(db: Connection) {
  return {
    /** How many wait in a chat and have not expired. */
    countPending: async (botId: string, chatId: string, now: number): Promise<number> => {
      const { count } = await db
        .selectFrom('approvals')
        .select((eb) => eb.fn.countAll().as('count'))
        .where('bot_id', '=', botId)
        .where('chat_id', '=', chatId)
        .where('status', '=', 'pending')
        .where('expires_at', '>', now)
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    ofSession: (sessionId: string, statuses: readonly ApprovalStatus[]): Promise<ApprovalRow[]> =>
      db
        .selectFrom('approvals')
        .selectAll()
        .where('session_id', '=', sessionId)
        .where('status', 'in', statuses)
        .orderBy('created_at')
        .execute(),

    /** Everything a run asked for, oldest first. */
    ofRun: (runId: string): Promise<ApprovalRow[]> =>
      db.selectFrom('approvals').selectAll().where('run_id', '=', runId).orderBy('created_at').execute(),

    withStatus: (status: ApprovalStatus, limit: number): Promise<ApprovalRow[]> =>
      db
        .selectFrom('approvals')
        .selectAll()
        .where('status', '=', status)
        .orderBy('created_at')
        .limit(limit)
        .execute(),

    decidedSince: (since: number, limit: number): Promise<ApprovalRow[]> =>
      db
        .selectFrom('approvals')
        .selectAll()
        .where('decided_at', '>=', since)
        .orderBy('decided_at', 'desc')
        .limit(limit)
        .execute(),

    due: (now: number, limit: number): Promise<ApprovalRow[]> =>
      db
        .selectFrom('approvals')
        .selectAll()
        .where('status', 'in', ['pending', 'approved'])
        .where('expires_at', '<=', now)
        .orderBy('expires_at')
        .limit(limit)
        .execute(),
  }
}

/** The compare-and-sets: each names the status it starts from, and tells whether it won. */
function transitions(db: Connection) {
  return {
    /** `pending → approved | denied` while it has not expired. True for the one winner. */
    decide: async (id: string, values: DecisionValues, now: number): Promise<boolean> => {
      const result = await db
        .updateTable('approvals')
        .set({
          status: values.status,
          scope: values.scope,
          decided_by: values.by,
          decided_name: values.name,
          decided_at: now,
          reason: values.reason,
          ...(values.startBy === undefined ? {} : { expires_at: values.startBy }),
        })
        .where('id', '=', id)
        .where('status', '=', 'pending')
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return result.numUpdatedRows === 1n
    },

    /** `pending | approved → expired`: nobody answered in time, or the call did not begin in time. */
    expire: async (id: string, now: number): Promise<boolean> => {
      const result = await db
        .updateTable('approvals')
        .set((eb) => ({ status: 'expired', decided_at: eb.fn.coalesce('decided_at', eb.val(now)) }))
        .where('id', '=', id)
        .where('status', 'in', ['pending', 'approved'])
        .where('expires_at', '<=', now)
        .executeTakeFirst()
      return result.numUpdatedRows === 1n
    },

    /** `pending | approved → cancelled`: also an approval whose call has not begun. Names only who cancels. */
    cancel: async (id: string, by: string, reason: string | null, now: number): Promise<boolean> => {
      const result = await db
        .updateTable('approvals')
        .set(({ selectFrom }) => ({
          ...{ status: 'cancelled' as const, decided_by: by, decided_at: now, reason },
          decided_name: selectFrom('people').select('people.name').where('people.user', '=', by),
        }))
        .where('id', '=', id)
        .where('status', 'in', ['pending', 'approved'])
        .executeTakeFirst()
      return result.numUpdatedRows === 1n
    },

    /** `approved → consumed` for exactly this digest while it has not expired; the second of two compare-and-sets. */
    consume: async (id: string, digest: string, now: number): Promise<boolean> => {
      const result = await db
        .updateTable('approvals')
        .set({ status: 'consumed', consumed_at: now })
        .where('id', '=', id)
        .where('digest', '=', digest)
        .where('status', '=', 'approved')
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return result.numUpdatedRows === 1n
    },
  }
}

/** What other tables know about an approval. */
function surroundings(db: Connection) {
  return {
    /** Platform ids of messages that carry this approval's card, as far as the outbox knows them. */
    cardMessages: async (id: string): Promise<string[]> => {
      const rows = await db.selectFrom('outbox').select('sent').where('ref', '=', `card:${id}`).execute()
      return rows.flatMap((row) => messageIdOf(row.sent))
    },

    session: (id: string) =>
      db.selectFrom('sessions').select(['grants', 'stop_requested']).where('id', '=', id).executeTakeFirst(),

    /** Replaces the grants only if nobody else changed them meanwhile. */
    replaceGrants: async (sessionId: string, from: string, to: string): Promise<boolean> => {
      const result = await db
        .updateTable('sessions')
        .set({ grants: to })
        .where('id', '=', sessionId)
        .where('grants', '=', from)
        .executeTakeFirst()
      return result.numUpdatedRows === 1n
    },
  }
}

function messageIdOf(sent: string | null): string[] {
  if (sent === null) return []
  const value: unknown = JSON.parse(sent)
  if (typeof value !== 'object' || value === null || !('messageId' in value)) return []
  return typeof value.messageId === 'string' ? [value.messageId] : []
}
