/** Rows as the service writes them, for tests that need only a few of their columns. */
import type { ApprovalRow, SessionRow } from '../../src/store/schema.ts'

/** A session of bot `ops` in a group of the same name, in nobody's hands. */
export function sessionRow(id: string, more: Partial<SessionRow> = {}): SessionRow {
  return {
    ...{ id, bot_id: 'ops', chat_id: id, chat_type: 'group', thread_id: null, epoch: 0, model: null },
    ...{ lease_owner: null, lease_until: 0, fence: 0, wait_until: 0, grants: '[]' },
    ...{ stop_requested: 0, compact_requested: 0, closed_reason: null, created_at: 0, updated_at: 0 },
    ...more,
  }
}

/** A request that waits, of call `c1` in run `r1` of session `s1`. */
export function approvalRow(more: Partial<ApprovalRow> = {}): ApprovalRow {
  return {
    ...{ id: 'a1', session_id: 's1', run_id: 'r1', call_id: 'c1', bot_id: 'ops', chat_id: 'oc_1' },
    ...{ call: '{}', digest: 'd1', findings: '{}', requester: 'feishu:ou_1', approvers: '[]', quorum: 1 },
    ...{ nonce: 'n', code: 'ABC234', status: 'pending', scope: null, decided_by: null, decided_name: null },
    ...{ decided_at: null, reason: null, consumed_at: null, expires_at: 1_000, created_at: 1 },
    ...more,
  }
}
