/** The company's own approval forms that are under way, one row each, through an adapter's client. */
import type { ApprovalsClient, OaApproval } from '../../protocol/oa-approval.ts'
import type { Span } from '../period.ts'
import type { Table } from '../table.ts'
import { createGatherer } from './gather.ts'
import type { ReadLimits } from './source.ts'

/** "Under way" in WeCom's numbering (docs 91983); the only platform that has such forms here. */
const UNDER_WAY = 1
/** Each form is a call of its own, and a platform allows some hundreds a minute. */
const MOST_FORMS = 300
const AT_ONCE = 5

export const COMPANY_COLUMNS = ['number', 'kind', 'person', 'waits_for', 'since'] as const

export async function readCompanyApprovals(
  clients: readonly ApprovalsClient[],
  span: Span,
  limits: ReadLimits,
  signal: AbortSignal,
): Promise<Table> {
  const most = Math.min(MOST_FORMS, limits.rows)
  const gatherer = createGatherer({ ...limits, rows: most })
  let complete = true
  for (const client of clients) {
    const list = await client.list({ ...span, status: UNDER_WAY, limit: most }, signal)
    complete &&= list.complete
    for (let at = 0; at < list.numbers.length; at += AT_ONCE) {
      const some = list.numbers.slice(at, at + AT_ONCE)
      const forms = await Promise.all(some.map((number) => client.detail(number, signal)))
      for (const form of forms) gatherer.add(rowOf(form))
    }
  }
  const table = gatherer.table(COMPANY_COLUMNS)
  return complete ? table : { ...table, cut: table.cut ?? { by: 'rows', limit: most } }
}

function rowOf(form: OaApproval): readonly unknown[] {
  return [form.number, form.name, form.applicant.name, waitingFor(form).join('、'), form.appliedAt]
}

/** People of the first step that is not over; later steps wait for that one. */
function waitingFor(form: OaApproval): string[] {
  const open = form.steps
    .filter((step) => (step.kind === 'approver' || step.kind === 'handler') && step.open !== false)
    .map((step) => step.people.filter(({ at }) => at === undefined).map(({ person }) => person.name))
    .find((people) => people.length > 0)
  return open ?? []
}
