/** Creates approval rows: once per exact call, within limits that keep people from being flooded with requests. */
import type { Transaction } from 'kysely'
import type { Audit } from '../observability/audit.ts'
import { type Access, approversOfAll } from '../policy/access.ts'
import type { Finding } from '../policy/finding.ts'
import type { Address, UserKey } from '../protocol/address.ts'
import type { Random } from '../protocol/ports.ts'
import type { BoundCall } from '../protocol/tool.ts'
import { type ApprovalsRepository, createApprovalRows } from '../store/repositories/approvals.ts'
import { mutedUntil } from '../store/repositories/mutes.ts'
import type { ApprovalRow, Database } from '../store/schema.ts'
import type { Db } from '../store/store.ts'
import { type CanonicalCall, canonicalCall } from './canonical-call.ts'
import { createCode } from './code.ts'
import { type ApprovalRequest, hasLapsed, requestOf } from './request.ts'
import { maskSecrets } from './secret-mask.ts'

export interface OpenInput {
  readonly bound: BoundCall
  readonly sessionId: string
  readonly runId: string
  readonly callId: string
  readonly address: Address
  readonly requester: UserKey
  readonly requesterName?: string
  /** Others whose messages have joined the run. */
  readonly joined?: readonly { readonly user: UserKey; readonly name?: string | undefined }[]
  /** The tool's own line about the call. */
  readonly title: string
  readonly rule: string
  readonly findings: readonly Finding[]
  /** Words that "for this session" may cover; absent when it must not be offered. */
  readonly grant?: readonly string[]
  /** Group of tools that allowing covers for this session. */
  readonly group?: string
}

export type Opened =
  | {
      readonly outcome: 'opened' | 'known'
      readonly row: ApprovalRow
      /** The row of the same call before it changed, now cancelled. */
      readonly replaced?: ApprovalRow
    }
  /** No row was made: too many wait in this chat or it is muted, it was asked too often, or nobody could decide. */
  | { readonly outcome: 'refused'; readonly reason: 'too_many' | 'asked_before' | 'nobody' | 'muted' }

interface OpenDeps {
  readonly now: number
  readonly random: Random
  readonly audit: Audit
  readonly access: Access
  readonly limits: { readonly expiresMs: number; readonly maxPendingPerChat: number }
}

/** Times one run may ask for the same thing: once, and twice again. */
const MAX_ASKS = 3
const CODE_TRIES = 20

/** Opens or finds the row of a call inside the caller's transaction; `refused` says why nobody is asked. */
export async function openIn(trx: Transaction<Database>, deps: OpenDeps, input: OpenInput): Promise<Opened> {
  const rows = createApprovalRows(trx)
  const call = canonicalCall(input.bound, input)
  const known = await rows.byCall(input.sessionId, input.callId)
  const again = known?.digest === call.digest
  if (again && !hasLapsed(known)) return { outcome: 'known', row: known }
  const replaced = known && (await takeBack(trx, deps, known))
  const refused = (await isMuted(trx, deps, input)) ? 'muted' : await refusal(rows, deps, input, call)
  if (refused) return { outcome: 'refused', reason: refused }
  const row = await insertRow(rows, deps, input, call, again)
  await deps.audit.append(trx, {
    actor: input.requester,
    action: 'approval.asked',
    subject: row.id,
    detail: {
      session: input.sessionId,
      tool: input.bound.tool,
      command: maskSecrets(input.bound.command ?? '').text,
      digest: call.digest,
      rule: input.rule,
    },
  })
  return { outcome: 'opened', row, ...(replaced ? { replaced } : {}) }
}

/** Cancels the row of a call that is not the same any more; undefined when it was settled before. */
async function takeBack(
  trx: Transaction<Database>,
  deps: OpenDeps,
  row: ApprovalRow,
): Promise<ApprovalRow | undefined> {
  const rows = createApprovalRows(trx)
  if (!(await rows.cancel(row.id, 'system', null, deps.now))) return undefined
  await deps.audit.append(trx, {
    actor: 'system',
    action: 'approval.cancelled',
    subject: row.id,
    detail: { session: row.session_id, because: 'the call changed' },
  })
  return rows.byId(row.id)
}

async function isMuted(db: Db, { now }: OpenDeps, { address }: OpenInput): Promise<boolean> {
  return (await mutedUntil(db, address)) > now
}

async function refusal(
  rows: ApprovalsRepository,
  deps: OpenDeps,
  input: OpenInput,
  call: CanonicalCall,
): Promise<'too_many' | 'asked_before' | 'nobody' | 'muted' | undefined> {
  if (approversOf(deps.access, input).length === 0) return 'nobody'
  const { botId, chatId } = input.address
  const waiting = await rows.countPending(botId, chatId, deps.now)
  if (waiting >= deps.limits.maxPendingPerChat) return 'too_many'
  const before = (await rows.ofRun(input.runId)).filter(
    (row) =>
      row.session_id === input.sessionId &&
      (row.status === 'denied' || row.status === 'expired') &&
      requestOf(row).sameness === call.sameness,
  )
  return before.length >= MAX_ASKS ? 'asked_before' : undefined
}

async function insertRow(
  rows: ApprovalsRepository,
  deps: OpenDeps,
  input: OpenInput,
  call: CanonicalCall,
  again: boolean,
): Promise<ApprovalRow> {
  const request: ApprovalRequest = {
    findings: [...input.findings],
    rule: input.rule,
    title: input.title,
    chatType: input.address.chatType,
    requesterName: input.requesterName ?? null,
    others: (input.joined ?? []).map(({ user, name }) => ({ user, name: name ?? null })),
    grant: input.grant ? [...input.grant] : null,
    group: input.group ?? null,
    target: input.bound.target ?? null,
    sameness: call.sameness,
    again,
  }
  const row: ApprovalRow = {
    id: deps.random.id(16),
    session_id: input.sessionId,
    run_id: input.runId,
    call_id: input.callId,
    bot_id: input.address.botId,
    chat_id: input.address.chatId,
    call: call.json,
    digest: call.digest,
    findings: JSON.stringify(request),
    requester: input.requester,
    approvers: JSON.stringify(approversOf(deps.access, input)),
    quorum: 1,
    nonce: deps.random.id(16),
    code: await freeCode(rows, deps.random, input.address.botId),
    status: 'pending',
    scope: null,
    decided_by: null,
    decided_name: null,
    decided_at: null,
    reason: null,
    consumed_at: null,
    expires_at: deps.now + deps.limits.expiresMs,
    created_at: deps.now,
  }
  await rows.insert(row)
  return row
}

function approversOf(access: Access, { requester, joined = [], address }: OpenInput): readonly UserKey[] {
  return approversOfAll(access, [requester, ...joined.map(({ user }) => user)], address)
}

async function freeCode(rows: ApprovalsRepository, random: Random, botId: string): Promise<string> {
  for (let i = 0; i < CODE_TRIES; i++) {
    const code = createCode(random)
    if ((await rows.byCode(botId, code)) === undefined) return code
  }
  // Six million codes and a handful of rows: only a broken source of randomness comes here.
  throw new Error('no free approval code')
}
