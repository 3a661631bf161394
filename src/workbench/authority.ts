/** Checks that an administrator approved a call, by the approval that it was started with. */
import type { UserKey } from '../protocol/address.ts'
import type { Caller } from '../protocol/workbench.ts'
import type { WorkbenchDeps } from './deps.ts'
import { refusal } from './errors.ts'

export interface Authority {
  /**
   * The administrator who allowed this exact call. Rejects with `workbench.needs_admin` when a rule let it
   * through or somebody else decided: settings concern everybody.
   */
  administrator(caller: Caller, callId: string): Promise<UserKey>
}

export function createAuthority(deps: Pick<WorkbenchDeps, 'approvals' | 'access'>): Authority {
  return {
    administrator: async (caller, callId) => {
      const row = await deps.approvals.byCall(caller.sessionId, callId)
      const by = row?.status === 'consumed' ? (row.decided_by as UserKey | null) : null
      if (by !== null && deps.access.isAdmin(by)) return by
      throw refusal(
        'needs_admin',
        'Settings are changed only with the click of an administrator on this very call.',
        'Remove rules that allow this tool, and let an administrator (access.admins) decide on the card.',
      )
    },
  }
}
