/** What waits for a person, and the audit chain. */
import type { Generated } from 'kysely'

export interface ApprovalsTable {
  id: string
  session_id: string
  run_id: string
  call_id: string
  bot_id: string
  chat_id: string
  /** Canonical call as JSON, and its SHA-256 in hex. */
  call: string
  digest: string
  /** JSON: findings, rule, what to show. */
  findings: string
  requester: string
  /** JSON list of user keys at the time of asking; judged again at the click. */
  approvers: string
  quorum: number
  nonce: string
  /** Short code for the text form, unique among pending rows of the bot. */
  code: string
  status: 'pending' | 'approved' | 'denied' | 'expired' | 'cancelled' | 'consumed'
  scope: 'once' | 'session' | null
  decided_by: string | null
  decided_name: string | null
  decided_at: number | null
  reason: string | null
  consumed_at: number | null
  expires_at: number
  created_at: number
}

export interface AuditTable {
  id: Generated<number>
  at: number
  actor: string
  action: string
  subject: string
  /** JSON, redacted. */
  detail: string
  previous: string
  hash: string
}

/** Chats in which nobody is asked until a time. */
export interface ApprovalMutesTable {
  bot_id: string
  chat_id: string
  until: number
  muted_by: string
  /** When it was said; wall time. */
  said_at: number
}
