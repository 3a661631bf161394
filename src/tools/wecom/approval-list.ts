import { z } from 'zod'
import { userKey } from '../../protocol/address.ts'
import { isAppError } from '../../protocol/errors.ts'
import type { ApprovalsClient, OaApproval, OaApprovalQuery } from '../../protocol/oa-approval.ts'
import { defineTool, type ToolContext, type ToolResult, toolError } from '../../protocol/tool.ts'
import { type FormZone, formLine } from './form-text.ts'
import { type ApprovalRule, scopeOf } from './rule.ts'

const DAY_MS = 86_400_000
/** Most numbers that one question collects, whatever the span. */
const COLLECT = 2_000
/** Details fetched at once; WeCom allows 600 a minute. */
const WIDTH = 4

const input = z.strictObject({
  days: z
    .number()
    .min(0.04)
    .max(366)
    .optional()
    .describe('How many days back from now (default 7). Wins over starttime and endtime.'),
  starttime: z
    .int()
    .min(0)
    .optional()
    .describe('Earliest submission time, unix seconds.')
    .meta({ examples: [1_767_225_600] }),
  endtime: z
    .int()
    .min(0)
    .optional()
    .describe('Latest submission time, unix seconds; default now.')
    .meta({ examples: [1_769_904_000] }),
  template_id: z
    .string()
    .optional()
    .describe('Only forms of this template.')
    .meta({ examples: ['3TmALk1oGgKiDPtmjL1yvAaYsSxdkFAM4qRbCdEf'] }),
  creator: z
    .string()
    .optional()
    .describe('Only forms of this applicant (WeCom userid).')
    .meta({ examples: ['zhangsan'] }),
  department: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('Only forms of these departments (ids).')
    .meta({ examples: [['2', '7']] }),
  sp_status: z
    .union([
      z.literal(1),
      z.literal(2),
      z.literal(3),
      z.literal(4),
      z.literal(6),
      z.literal(7),
      z.literal(10),
    ])
    .optional()
    .describe(
      '1 in progress, 2 approved, 3 rejected, 4 withdrawn, 6 withdrawn after approval, 7 deleted, 10 paid.',
    )
    .meta({ examples: [1] }),
  record_type: z
    .int()
    .min(1)
    .max(9)
    .optional()
    .describe(
      '1 leave, 2 punch fix, 3 trip, 4 out, 5 overtime, 6 shift change, 7 meeting room, 8 refund, 9 red packet.',
    ),
  size: z.int().min(1).max(100).default(100).describe('How many forms to return.'),
  cursor: z.int().min(0).default(0).describe('Where to go on; from the previous result.'),
  details: z
    .boolean()
    .default(false)
    .describe('Also return type, status, applicant and time of each form (one call each).'),
})

type Input = z.output<typeof input>

/** Lists approval forms by submission time, any span; own forms only where the rule says so. */
export function createApprovalListTool(client: ApprovalsClient, rule: ApprovalRule, zone: FormZone) {
  return defineTool({
    name: 'wecom_approval_list',
    description:
      'Lists WeCom approval forms (leave, expense, purchase …) by submission time and filters. Returns form numbers; with details=true also type, status, applicant and time. For the content and the flow of one form use wecom_approval_detail. Read-only: forms cannot be decided here.',
    input,
    readOnly: true,
    risk: 'read',
    platforms: ['wecom'],
    title: (_args, text) => text('wecom.approval.list.title'),
    run: async (args, ctx, signal) => {
      const scope = scopeOf(rule, ctx)
      if (scope === 'none' || scope === 'mixed') return refusal(scope)
      const query = queryOf(args, ctx, scope === 'own')
      if (query.to <= query.from)
        return toolError(
          'invalid_argument',
          'endtime must be later than starttime',
          'Give a later endtime, or days.',
        )
      try {
        return await listForms({ client, zone }, args, query, ctx, signal, scope === 'own')
      } catch (error) {
        return failure(error)
      }
    },
  })
}

function queryOf(args: Input, ctx: ToolContext, own: boolean): OaApprovalQuery {
  const now = ctx.clock.now()
  const to = args.days === undefined && args.endtime !== undefined ? args.endtime * 1_000 : now
  const from =
    args.days === undefined && args.starttime !== undefined
      ? args.starttime * 1_000
      : to - (args.days ?? 7) * DAY_MS
  const creator = own ? ctx.requester : args.creator && userKey('wecom', args.creator)
  return {
    from,
    to,
    limit: COLLECT,
    ...(creator && { creator }),
    ...(args.template_id !== undefined && { templateId: args.template_id }),
    ...(args.department !== undefined && { departments: [args.department].flat() }),
    ...(args.sp_status !== undefined && { status: args.sp_status }),
    ...(args.record_type !== undefined && { recordType: args.record_type }),
  }
}

async function listForms(
  { client, zone }: { readonly client: ApprovalsClient; readonly zone: FormZone },
  args: Input,
  query: OaApprovalQuery,
  ctx: ToolContext,
  signal: AbortSignal,
  own: boolean,
): Promise<ToolResult> {
  const { numbers, complete } = await client.list(query, signal, (found, window, windows) =>
    ctx.logger.debug({ found, window, windows }, 'reading approval forms'),
  )
  const shown = numbers.slice(args.cursor, args.cursor + args.size)
  const next = args.cursor + shown.length
  const forms = args.details ? await readForms(client, shown, signal) : undefined
  const span = { from: zone.show(query.from), to: zone.show(query.to) }
  const lines = [
    shown.length === 0 && args.cursor === 0
      ? ctx.text('wecom.approval.none', span)
      : ctx.text('wecom.approval.list', { ...span, total: numbers.length, returned: shown.length }),
    ...(own ? [ctx.text('wecom.approval.own')] : []),
    ...(complete ? [] : [ctx.text('wecom.approval.partial', { total: numbers.length })]),
    ...(forms ? forms.map((form) => formLine(form, zone)) : shown),
    ...(next < numbers.length
      ? [ctx.text('wecom.approval.more', { left: numbers.length - next, next })]
      : []),
  ]
  return {
    ok: true,
    text: lines.join('\n'),
    data: { numbers: shown, total: numbers.length, complete, ...(forms && { forms }) },
    ...(next < numbers.length && { truncated: { total: numbers.length, returned: shown.length, next } }),
  }
}

async function readForms(
  client: ApprovalsClient,
  numbers: readonly string[],
  signal: AbortSignal,
): Promise<OaApproval[]> {
  const forms = new Array<OaApproval>(numbers.length)
  let index = 0
  const lane = async (): Promise<void> => {
    for (let at = index++; at < numbers.length; at = index++) {
      const number = numbers[at]
      if (number !== undefined) forms[at] = await client.detail(number, signal)
    }
  }
  await Promise.all(Array.from({ length: Math.min(WIDTH, numbers.length) }, lane))
  return forms
}

/** The requester may not query approvals at all, or not in a run that others have joined. */
export function refusal(scope: 'none' | 'mixed'): ToolResult {
  if (scope === 'mixed')
    return toolError(
      'refused',
      'messages of several people are in this run, and not all of them may see these forms',
      'Ask again in a message of your own, after this answer.',
    )
  return toolError(
    'refused',
    'this person may not query approval forms',
    'An admin can allow it by approvals.query.',
  )
}

/** What WeCom refused, with what an admin must do. Anything else ends the run. */
export function failure(error: unknown): ToolResult {
  if (!isAppError(error)) throw error
  return toolError(error.retryable ? 'unavailable' : 'failed', error.message, error.hint)
}
