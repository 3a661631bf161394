/** The WeCom approval tools. They know forms and who may ask; the client knows WeCom. */
import type { ApprovalsClient } from '../../protocol/oa-approval.ts'
import type { AnyTool } from '../../protocol/tool.ts'
import { createApprovalDetailTool } from './approval-detail.ts'
import { createApprovalListTool } from './approval-list.ts'
import type { FormZone } from './form-text.ts'
import type { ApprovalRule } from './rule.ts'

export type { ApprovalRule } from './rule.ts'

/** Both tools over one client. `rule` says what each requester may see; it must fail closed. */
export function createWecomApprovalTools(
  client: ApprovalsClient,
  rule: ApprovalRule,
  zone: FormZone,
): AnyTool[] {
  return [createApprovalListTool(client, rule, zone), createApprovalDetailTool(client, rule, zone)]
}
