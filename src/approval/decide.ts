/** Decides an approval: checks who decided what and where, then one compare-and-set on the row. */
import { timingSafeEqual } from 'node:crypto'
import type { Transaction } from 'kysely'
import type { Audit } from '../observability/audit.ts'
import type { Access, DecideRefusal } from '../policy/access.ts'
import { GRANT_MS, parseGrants } from '../policy/grant.ts'
import type { Address } from '../protocol/address.ts'
import type { Sender } from '../protocol/inbound.ts'
import { type ApprovalsRepository, createApprovalRows } from '../store/repositories/approvals.ts'
import type { ApprovalRow, Database } from '../store/schema.ts'
import { requestersOf } from './person-names.ts'
import { callOf, requestOf } from './request.ts'

export interface DecisionInput {
  /** A card carries id and nonce; a person types the code. */
  readonly target:
    | { readonly by: 'card'; readonly approvalId: string; readonly nonce: string }
    | { readonly by: 'code'; readonly code: string }
  readonly decision: 'allow' | 'deny'
  /** `once` or `session`; anything that was not offered is refused. */
  readonly scope: string
  readonly operator: Sender
  readonly address: Address
  /** Message of the clicked card, if the platform says so. */
  readonly messageId?: string
  readonly reason?: string
}

export type DecisionRefusal = DecideRefusal | 'elsewhere' | 'not_offered'

export type Decision =
  /** This decision won. */
  | { readonly outcome: 'decided'; readonly row: ApprovalRow }
  /** It was settled before; the row says by whom. */
  | { readonly outcome: 'already'; readonly row: ApprovalRow }
  | { readonly outcome: 'expired'; readonly row: ApprovalRow; readonly changed: boolean }
  | { readonly outcome: 'refused'; readonly row: ApprovalRow; readonly reason: DecisionRefusal }
  /** No such approval, or a forged card: the two are not told apart. */
  | { readonly outcome: 'not_found' }

interface DecideDeps {
  readonly now: number
  readonly audit: Audit
  readonly access: Access
  /** How long an approval can be used after the click, milliseconds. */
  readonly limits: { readonly expiresMs: number }
}

/** Decides inside the caller's transaction. Never throws for a decision that does not count: the outcome says why. */
export async function decideIn(
  trx: Transaction<Database>,
  deps: DecideDeps,
  input: DecisionInput,
): Promise<Decision> {
  const rows = createApprovalRows(trx)
  const note = (action: string, subject: string, detail: Record<string, unknown>): Promise<void> =>
    deps.audit.append(trx, { actor: input.operator.user, action, subject, detail })
  const row = await findRow(rows, input)
  if (!row) {
    await note('approval.not_found', subjectOf(input), { chat: input.address.chatId })
    return { outcome: 'not_found' }
  }
  const refused = await refusal(rows, deps.access, row, input)
  if (refused) {
    await note('approval.refused', row.id, { reason: refused, decision: input.decision })
    return { outcome: 'refused', row, reason: refused }
  }
  if (row.status !== 'pending') return settledBefore(row)
  if (row.expires_at <= deps.now) {
    const changed = await rows.expire(row.id, deps.now)
    if (changed) await note('approval.expired', row.id, { session: row.session_id })
    return { outcome: 'expired', row: (await rows.byId(row.id)) ?? row, changed }
  }
  if (!(await win(rows, row, input, deps))) return settledBefore((await rows.byId(row.id)) ?? row)
  await note('approval.decided', row.id, {
    decision: input.decision,
    scope: input.scope,
    by: input.target.by,
    digest: row.digest,
  })
  return { outcome: 'decided', row: (await rows.byId(row.id)) ?? row }
}

function settledBefore(row: ApprovalRow): Decision {
  return row.status === 'expired' ? { outcome: 'expired', row, changed: false } : { outcome: 'already', row }
}

async function findRow(rows: ApprovalsRepository, input: DecisionInput): Promise<ApprovalRow | undefined> {
  if (input.target.by === 'code') return rows.byCode(input.address.botId, input.target.code)
  const row = await rows.byId(input.target.approvalId)
  return row && sameSecret(row.nonce, input.target.nonce) ? row : undefined
}

async function refusal(
  rows: ApprovalsRepository,
  access: Access,
  row: ApprovalRow,
  input: DecisionInput,
): Promise<DecisionRefusal | undefined> {
  if (row.bot_id !== input.address.botId || row.chat_id !== input.address.chatId) return 'elsewhere'
  if (input.messageId !== undefined) {
    const cards = await rows.cardMessages(row.id)
    if (cards.length > 0 && !cards.includes(input.messageId)) return 'elsewhere'
  }
  const request = requestOf(row)
  const address = { botId: row.bot_id, chatId: row.chat_id, chatType: request.chatType }
  for (const requester of requestersOf(row)) {
    const verdict = access.mayDecide(input.operator, { requester, address })
    if (!verdict.ok) return verdict.reason
  }
  if (input.decision === 'deny' || input.scope === 'once') return undefined
  const offered = request.grant !== null || request.group !== null
  return input.scope === 'session' && offered ? undefined : 'not_offered'
}

async function win(
  rows: ApprovalsRepository,
  row: ApprovalRow,
  input: DecisionInput,
  { now, limits }: Pick<DecideDeps, 'now' | 'limits'>,
): Promise<boolean> {
  const allowed = input.decision === 'allow'
  const forSession = input.scope === 'session' || requestOf(row).group !== null
  const won = await rows.decide(
    row.id,
    {
      status: allowed ? 'approved' : 'denied',
      scope: allowed ? (forSession ? 'session' : 'once') : null,
      by: input.operator.user,
      name: input.operator.name ?? null,
      reason: input.reason ?? null,
      // A run may have to wait for its turn after the click: the time to begin counts from there.
      ...(allowed ? { startBy: now + limits.expiresMs } : {}),
    },
    now,
  )
  if (won && allowed && forSession) await addGrant(rows, row, now)
  return won
}

/** Adds the grant beside others that may be added at the same moment; gives up after a few rounds. */
async function addGrant(rows: ApprovalsRepository, row: ApprovalRow, now: number): Promise<void> {
  const what = coveredBy(row)
  if (what === undefined) return
  const others = requestersOf(row).slice(1)
  for (let round = 0; round < 5; round++) {
    const session = await rows.session(row.session_id)
    // What is being stopped grants nothing to the conversation that may follow it.
    if (session?.stop_requested !== 0) return
    const kept = parseGrants(session.grants).filter((one) => one.expiresAt > now)
    const added = {
      ...what,
      requester: row.requester,
      ...(others.length === 0 ? {} : { others }),
      approvalId: row.id,
      expiresAt: now + GRANT_MS,
    }
    if (await rows.replaceGrants(row.session_id, session.grants, JSON.stringify([...kept, added]))) return
  }
}

function coveredBy(
  row: ApprovalRow,
): { group: string } | { argv: string[]; cwd: string; tool: string; profile: string | null } | undefined {
  const { grant, group } = requestOf(row)
  if (group !== null) return { group }
  const { cwd, tool, sandboxProfile: profile } = callOf(row)
  return grant === null || cwd === null ? undefined : { argv: grant, cwd, tool, profile }
}

function subjectOf(input: DecisionInput): string {
  return (input.target.by === 'card' ? input.target.approvalId : input.target.code).slice(0, 64)
}

function sameSecret(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
