import { z } from 'zod'
import type { ApprovalsClient } from '../../protocol/oa-approval.ts'
import { defineTool, toolError } from '../../protocol/tool.ts'
import { failure, refusal } from './approval-list.ts'
import { type FormZone, formText } from './form-text.ts'
import { type ApprovalRule, isSame, scopeOf } from './rule.ts'

const input = z.strictObject({
  sp_no: z
    .string()
    .regex(/^\d{1,32}$/, 'a form number: digits only')
    .describe('Number of the form, as text.')
    .meta({ examples: ['202601150001'] }),
})

/** Reads one approval form: fields, flow with approvers and opinions, comments. */
export function createApprovalDetailTool(client: ApprovalsClient, rule: ApprovalRule, zone: FormZone) {
  return defineTool({
    name: 'wecom_approval_detail',
    description:
      'Reads one WeCom approval form by its number: type, status, applicant, fields, approval flow with opinions, comments. Numbers come from wecom_approval_list. Bank accounts and telephone numbers are masked. Read-only.',
    input,
    readOnly: true,
    risk: 'read',
    platforms: ['wecom'],
    title: (args, text) => text('wecom.approval.detail.title', { number: args.sp_no }),
    run: async (args, ctx, signal) => {
      const scope = scopeOf(rule, ctx)
      if (scope === 'none' || scope === 'mixed') return refusal(scope)
      try {
        const form = await client.detail(args.sp_no, signal)
        const people = [form.applicant, ...form.onBehalfOf]
        const own = people.some((person) => isSame(person.user, ctx.requester))
        // The same answer as for a number that does not exist: a number must not be probed.
        if (scope === 'own' && !own) {
          return toolError(
            'not_found',
            "no such form among the requester's own",
            'Only own forms can be read; admins can read all.',
          )
        }
        return { ok: true, text: formText(form, ctx.text, zone), data: form }
      } catch (error) {
        return failure(error)
      }
    },
  })
}
