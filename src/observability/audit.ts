/**
 * The audit chain: who did what to what, each row hashed together with the row before it, so that a
 * row changed or taken out later is found. It knows no rule and takes no decision; callers hand in
 * details that hold no secret. Rows are appended inside the transaction of the effect they tell of:
 * when the row cannot be written, the effect does not happen.
 */
import { createHash } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import type { Clock } from '../protocol/ports.ts'
import { type AuditRow, createAuditRows } from '../store/repositories/audit.ts'
import type { Database } from '../store/schema.ts'

export interface AuditEntry {
  /** A user key, or `system`. */
  readonly actor: string
  /** Dotted, room first: `approval.decided`, `call.started`. */
  readonly action: string
  /** Id of what it was done to. */
  readonly subject: string
  readonly detail: Readonly<Record<string, unknown>>
  /** When it happened, if that was before the row is written. */
  readonly at?: number
}

export type AuditVerdict =
  | { readonly ok: true; readonly rows: number; readonly head: string }
  | { readonly ok: false; readonly rows: number; readonly brokenAt: number }

/** Appending belongs into the transaction of the effect; reading needs none. */
export interface Audit {
  /** Appends one row. Must run inside a transaction, which is what makes the chain single-writer. */
  append(trx: Transaction<Database>, entry: AuditEntry): Promise<void>
  /** Appends rows in this order, in one statement. */
  appendAll(trx: Transaction<Database>, entries: readonly AuditEntry[]): Promise<void>
  /** Walks the whole chain in pages; names the first row that does not fit. */
  verify(): Promise<AuditVerdict>
  /** Newest rows first. */
  newest(limit: number): Promise<AuditRow[]>
}

/** Hash before the first row. */
const GENESIS = '0'.repeat(64)
const PAGE_ROWS = 500

/** The chain in the table `audit` of one store. */
export function createAudit({ db, clock }: { db: Kysely<Database>; clock: Clock }): Audit {
  const appendAll: Audit['appendAll'] = async (trx, entries) => {
    const rows = createAuditRows(trx)
    await rows.lock()
    let previous = (await rows.last())?.hash ?? GENESIS
    const fresh = entries.map((entry) => {
      const row = {
        at: entry.at ?? clock.now(),
        actor: entry.actor,
        action: entry.action,
        subject: entry.subject,
        detail: JSON.stringify(entry.detail),
        previous,
      }
      previous = hashOf(row)
      return { ...row, hash: previous }
    })
    await rows.insert(fresh)
  }
  return {
    append: (trx, entry) => appendAll(trx, [entry]),
    appendAll,

    verify: async () => {
      const rows = createAuditRows(db)
      let previous = GENESIS
      let count = 0
      let after = 0
      for (;;) {
        const page = await rows.after(after, PAGE_ROWS)
        for (const row of page) {
          if (row.previous !== previous || row.hash !== hashOf(row))
            return { ok: false, rows: count, brokenAt: row.id }
          previous = row.hash
          after = row.id
          count++
        }
        if (page.length < PAGE_ROWS) return { ok: true, rows: count, head: previous }
      }
    },

    newest: (limit) => createAuditRows(db).newest(limit),
  }
}

function hashOf(row: Omit<AuditRow, 'id' | 'hash'>): string {
  const fields = [row.previous, Number(row.at), row.actor, row.action, row.subject, row.detail]
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex')
}
