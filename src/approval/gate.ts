/**
 * Policy and approvals as the one gate that the engine sees: judge a call, then begin it. It keeps no
 * state between the two: what was decided is in the rows, so another worker can go on from there.
 */
import type { Transaction } from 'kysely'
import type { Audit } from '../observability/audit.ts'
import type { CommandAnalyser, CommandAnalysis } from '../policy/command/analysis.ts'
import { parseGrants } from '../policy/grant.ts'
import type { Policy, PolicyAnswer } from '../policy/policy.ts'
import { isComposed } from '../policy/written-url.ts'
import type { UserKey } from '../protocol/address.ts'
import type { Gate, GateDecision } from '../protocol/engine.ts'
import type { LogEntry, StoredEntry } from '../protocol/session-log.ts'
import { taints } from '../protocol/taint.ts'
import type { AnyTool, BoundCall, ToolContext } from '../protocol/tool.ts'
import { createApprovalRows } from '../store/repositories/approvals.ts'
import type { ApprovalRow, Database } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import type { Approvals } from './approvals.ts'
import { canonicalCall } from './canonical-call.ts'
import { decidedBy } from './person-names.ts'
import { hasLapsed } from './request.ts'
import { createTaintReader } from './taint-reader.ts'

export interface GateDeps {
  readonly store: Pick<Store, 'db' | 'transaction'>
  readonly approvals: Approvals
  readonly policy: Policy
  readonly analyser: CommandAnalyser
  readonly audit: Audit
  /** How commands are confined; absent: they reach no network. */
  readonly confinement?: { readonly kind: 'bubblewrap' | 'none'; readonly network: 'none' | 'host' }
  /** What to do, instead of asking, when nobody is there; undefined: ask. */
  readonly unattended?: (bound: BoundCall, ctx: ToolContext) => Promise<GateDecision | undefined>
}

/** The run's own view of the log; appends are fenced by the worker's lease. */
export interface GateLog {
  entries(): readonly StoredEntry[]
  /** Rejects with `session.lease_lost` when another worker took over. */
  appendIn(trx: Transaction<Database>, entry: LogEntry): Promise<StoredEntry>
  /** Shows an entry that is now committed. */
  adopt(entry: StoredEntry): void
}

/** One gate per run. */
export function createGate(deps: GateDeps, log: GateLog): Gate {
  const tainted = createTaintReader(deps.store)
  return {
    judge: async (tool, bound, ctx, helper = []) => {
      const { digest } = canonicalCall(bound, ctx)
      const words = [...log.entries(), ...helper].map(({ entry }) => entry)
      const foreign = helper.some(({ entry }) => taints(entry)) || (await tainted(ctx.sessionId))
      const answer = await askPolicy(deps, { foreign, words, helped: helper.length > 0 }, tool, bound, ctx)
      if (answer.effect === 'deny') return denyByPolicy(answer, ctx)
      if (helper.length > 0 && answer.effect === 'ask') return refuseHelper(ctx)
      const row = await deps.approvals.byCall(ctx.sessionId, ctx.callId)
      const known = row?.digest === digest ? await fresh(deps.approvals, row) : undefined
      if (known && !hasLapsed(known)) return stateOf(known, ctx)
      if (answer.effect === 'allow') return { effect: 'allow' }
      return (await deps.unattended?.(bound, ctx)) ?? ask(deps, log, answer, tool, bound, ctx)
    },

    begin: async (bound, ctx, approvalId) => {
      const { digest } = canonicalCall(bound, ctx)
      const foreign = await fetches(deps, bound, ctx)
      const stored = await deps.store.transaction(async (trx) => {
        if (await isBeingStopped(trx, ctx.sessionId)) return undefined
        if (approvalId !== undefined && !(await deps.approvals.consume(trx, approvalId, digest)))
          return undefined
        await deps.audit.append(trx, {
          actor: ctx.requester,
          action: 'call.started',
          subject: ctx.callId,
          detail: {
            session: ctx.sessionId,
            run: ctx.runId,
            tool: bound.tool,
            digest,
            approval: approvalId ?? null,
          },
        })
        return log.appendIn(trx, {
          type: 'intent',
          callId: ctx.callId,
          tool: bound.tool,
          digest,
          ...(approvalId === undefined ? {} : { approvalId }),
          ...(foreign ? { foreign } : {}),
        })
      })
      if (stored) log.adopt(stored)
      return stored !== undefined
    },
  }
}

function analysisOf(
  { analyser }: GateDeps,
  { command, cwd }: BoundCall,
  { workspace }: ToolContext,
): Promise<CommandAnalysis> | undefined {
  return command === undefined ? undefined : analyser.analyse(command, { cwd: cwd ?? workspace, workspace })
}

/** Findings of commands that bring something in from the network. */
const FETCHING: ReadonlySet<string> = new Set(['network', 'network_code', 'packages'])

/** Whether the command names a program that brings something in from the network (P2). */
async function fetches(deps: GateDeps, bound: BoundCall, ctx: ToolContext): Promise<boolean> {
  const { kind, network } = deps.confinement ?? { kind: 'bubblewrap', network: 'none' }
  if (kind !== 'none' && network !== 'host') return false
  const found = (await analysisOf(deps, bound, ctx))?.findings ?? []
  return found.some(({ code }) => FETCHING.has(code))
}

/** Read where the call would begin: a stop that came first holds, whoever or whatever allowed the call (C18). */
async function isBeingStopped(trx: Transaction<Database>, sessionId: string): Promise<boolean> {
  const session = await createApprovalRows(trx).session(sessionId)
  return session !== undefined && session.stop_requested !== 0
}

async function askPolicy(
  deps: GateDeps,
  { foreign, words, helped }: { foreign: boolean; words: readonly LogEntry[]; helped: boolean },
  tool: AnyTool,
  bound: BoundCall,
  ctx: ToolContext,
): Promise<PolicyAnswer> {
  const analysis = await analysisOf(deps, bound, ctx)
  const session = await deps.store.db
    .selectFrom('sessions')
    .select('grants')
    .where('id', '=', ctx.sessionId)
    .executeTakeFirst()
  return deps.policy.judge({
    tool: tool.name,
    risk: tool.risk,
    group: tool.group,
    bound,
    analysis,
    requester: ctx.requester,
    ...(ctx.others ? { others: ctx.others } : {}),
    address: ctx.address,
    workspace: ctx.workspace,
    // A helper acts on its own words, not on the person's (P4), so a person's grants do not cover its calls.
    grants: helped ? [] : parseGrants(session?.grants ?? '[]'),
    tainted: foreign,
    ...(foreign && bound.url !== undefined && isComposed(bound.url, words) ? { composed: bound.url } : {}),
    now: deps.approvals.now(),
  })
}

async function ask(
  deps: GateDeps,
  log: GateLog,
  answer: PolicyAnswer,
  tool: AnyTool,
  bound: BoundCall,
  ctx: ToolContext,
): Promise<GateDecision> {
  const name = requesterName(log.entries(), ctx.requester)
  const joined = (ctx.others ?? []).map((user) => ({ user, name: requesterName(log.entries(), user) }))
  const opened = await deps.approvals.open({
    bound,
    sessionId: ctx.sessionId,
    runId: ctx.runId,
    callId: ctx.callId,
    address: ctx.address,
    requester: ctx.requester,
    title: tool.title(bound.args, ctx.text),
    rule: answer.rule,
    findings: answer.findings,
    ...(name === undefined ? {} : { requesterName: name }),
    ...(joined.length === 0 ? {} : { joined }),
    ...(answer.grant ? { grant: answer.grant } : {}),
    ...(answer.group === undefined ? {} : { group: answer.group }),
  })
  if (opened.outcome !== 'refused') return stateOf(opened.row, ctx)
  return {
    effect: 'deny',
    reason: ctx.text(`gate.${opened.reason}`),
    hint: ctx.text(`gate.${opened.reason}.hint`),
  }
}

/** A row that nobody answered, or that was not used, in time is settled before it is reported. */
async function fresh(approvals: Approvals, row: ApprovalRow): Promise<ApprovalRow> {
  const isOpen = row.status === 'pending' || row.status === 'approved'
  if (!isOpen || row.expires_at > approvals.now()) return row
  await approvals.expireDue()
  return (await approvals.byId(row.id)) ?? row
}

function stateOf(row: ApprovalRow, { text }: ToolContext): GateDecision {
  switch (row.status) {
    case 'pending':
      return { effect: 'ask', approvalId: row.id }
    case 'approved':
      return { effect: 'allow', approvalId: row.id }
    case 'denied': {
      const reason = row.reason === null ? text('gate.no_reason') : row.reason
      return {
        effect: 'deny',
        reason: text('gate.denied', { who: decidedBy(row), reason }),
        hint: text('gate.denied.hint'),
      }
    }
    case 'expired':
    case 'cancelled':
    case 'consumed':
      return { effect: 'deny', reason: text(`gate.${row.status}`), hint: text(`gate.${row.status}.hint`) }
  }
}

function refuseHelper({ text }: ToolContext): GateDecision {
  return { effect: 'deny', reason: text('gate.helper'), hint: text('gate.helper.hint') }
}

function denyByPolicy(answer: PolicyAnswer, { text }: ToolContext): GateDecision {
  const [kind, name] = answer.rule.split(':')
  const key = kind === 'builtin' ? `gate.builtin.${name}` : 'gate.rule'
  return {
    effect: 'deny',
    reason: text(key, { reason: answer.reason ?? text('gate.no_reason') }),
    hint: text(`${key}.hint`),
  }
}

/** The name the person last wrote under; for the card, never for a decision. */
function requesterName(entries: readonly StoredEntry[], requester: UserKey): string | undefined {
  for (const { entry } of entries.toReversed()) {
    const message =
      entry.type === 'user' ? entry.messages.findLast((one) => one.user === requester) : undefined
    if (message && message.name !== '') return message.name
  }
  return undefined
}
