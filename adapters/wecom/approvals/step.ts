/** Who decides a form and how far it is. `process_list` first; older forms only have `sp_record`. */
import { userKey } from '../../../src/protocol/address.ts'
import type { OaPerson, OaStep } from '../../../src/protocol/oa-approval.ts'
import type { Translate } from '../../../src/protocol/ports.ts'
import type { FormInfo } from './form.ts'
import { maskText } from './mask.ts'

type PersonOf = (userId: string) => OaPerson

const KINDS: Readonly<Record<number, OaStep['kind']>> = { 1: 'approver', 2: 'copy', 3: 'handler' }
/** Documented for `sp_record`; `apv_rel` of newer nodes is numbered contradictorily and never shown. */
const RULES: Readonly<Record<number, string>> = { 1: 'wecom.approval.rule.any', 2: 'wecom.approval.rule.all' }
const UNDER_WAY = 1
const FORM_STATUSES = new Set([1, 2, 3, 4, 6, 7, 10])
const STEP_STATUSES = new Set([1, 2, 3, 4, 11, 12, 13, 14, 15])

export function formStatus(code: number, text: Translate): string {
  return FORM_STATUSES.has(code)
    ? text(`wecom.approval.status.${code}`)
    : text('wecom.approval.status.unknown', { code })
}

/** Node and person states share numbers with forms but not their meaning (4 is "transferred"). */
function stepStatus(code: number, text: Translate): string {
  return STEP_STATUSES.has(code)
    ? text(`wecom.approval.step.${code}`)
    : text('wecom.approval.status.unknown', { code })
}

export function stepsOf(info: FormInfo, personOf: PersonOf, text: Translate): OaStep[] {
  const nodes = info.process_list?.node_list ?? []
  if (nodes.length > 0) {
    return nodes.map((node) => ({
      kind: KINDS[node.node_type] ?? 'other',
      status: stepStatus(node.sp_status, text),
      open: node.sp_status === UNDER_WAY,
      people: node.sub_node_list.map((entry) =>
        opinion(personOf(entry.userid), entry.sp_yj || node.sp_status, entry.speech, entry.sptime, text),
      ),
    }))
  }
  return info.sp_record.map((record) => {
    const rule = record.details.length > 1 ? RULES[record.approverattr] : undefined
    return {
      kind: 'approver',
      status: stepStatus(record.sp_status, text),
      open: record.sp_status === UNDER_WAY,
      ...(rule !== undefined && { rule: text(rule) }),
      people: record.details.map((entry) =>
        opinion(personOf(entry.approver.userid), entry.sp_status, entry.speech, entry.sptime, text),
      ),
    }
  })
}

/** Every user id that a form names, for looking names up once. */
export function userIdsOf(info: FormInfo): string[] {
  const nodes = info.process_list?.node_list ?? []
  return [
    info.applyer.userid,
    ...info.batch_applyer.map((user) => user.userid),
    ...info.notifyer.map((user) => user.userid),
    ...info.comments.map((comment) => comment.commentUserInfo.userid),
    ...nodes.flatMap((node) => node.sub_node_list.map((entry) => entry.userid)),
    ...info.sp_record.flatMap((record) => record.details.map((entry) => entry.approver.userid)),
  ]
}

export function personFrom(names: ReadonlyMap<string, string>): PersonOf {
  return (userId) => ({ user: userKey('wecom', userId), name: names.get(userId) ?? userId })
}

function opinion(
  person: OaPerson,
  status: number,
  speech: string,
  seconds: number,
  text: Translate,
): OaStep['people'][number] {
  return {
    person,
    status: stepStatus(status, text),
    comment: maskText(speech),
    // 0 means that the person has not decided yet.
    ...(seconds !== 0 && { at: seconds * 1_000 }),
  }
}
