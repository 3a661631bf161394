/** One call of a remote client, one step further: judged, asked for, or run to its end. */
import type { Gate } from '../../protocol/engine.ts'
import { isAppError } from '../../protocol/errors.ts'
import type { Clock, Logger, Random } from '../../protocol/ports.ts'
import type { LogEntry, StoredEntry } from '../../protocol/session-log.ts'
import {
  type AnyTool,
  type BoundCall,
  type ToolContext,
  type ToolResult,
  toolError,
} from '../../protocol/tool.ts'
import type { CallDiscipline } from '../../protocol/tool-calls.ts'
import type { Presence } from '../../store/presence.ts'
import { beginRemoteCall, endRemoteCall, setRemoteApproval } from '../../store/repositories/remote-calls.ts'
import type { ApprovalRow, RemoteCallRow } from '../../store/schema.ts'
import type { Db, Store } from '../../store/store.ts'
import { disciplined } from '../../tools/discipline.ts'
import { createToolRegistry } from '../../tools/index.ts'
import type { Caller } from './callers.ts'
import type { Changes } from './changes.ts'

/** Where the gate writes that a call begins. */
export interface IntentLog {
  entries(): readonly StoredEntry[]
  appendIn(db: Db, entry: LogEntry): Promise<StoredEntry>
  adopt(entry: StoredEntry): void
}

export interface CallDeps {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly changes: Changes
  /** This process among those that share the store. */
  readonly presence: Pick<Presence, 'owner' | 'isElsewhere'>
  readonly discipline: CallDiscipline
  readonly gate: (log: IntentLog, caller: Caller) => Gate
  /** Everything of a tool's context but the call's own id. */
  readonly context: (sessionId: string, caller: Caller, callId: string) => ToolContext
  readonly openSession: (id: string, caller: Caller) => Promise<void>
  /** Sends the card of an approval into the caller's chat; repeating it sends it once. */
  readonly sendCard: (approvalId: string, caller: Caller) => Promise<void>
  /** Repaints the card of an approval that is no longer open. */
  readonly showDecision: (row: ApprovalRow) => Promise<void>
  /** Aborts when the service stops. */
  readonly stopping: AbortSignal
}

/** Takes a waiting call as far as it goes now; resolves when it has ended or waits for a person. */
export async function advance(
  deps: CallDeps,
  caller: Caller,
  row: RemoteCallRow,
  tool: AnyTool,
): Promise<void> {
  if (row.state !== 'waiting') return
  const registry = createToolRegistry([tool])
  const ctx = deps.context(row.session_id, caller, row.id)
  const parsed = registry.parse({ id: row.id, name: row.tool, arguments: row.arguments })
  if (!parsed.ok) return endCall(deps, row, 'waiting', { ok: false, error: parsed.error })
  const bound = await registry.bind(tool, parsed.args, ctx)
  if (!bound.ok) return endCall(deps, row, 'waiting', { ok: false, error: bound.error })
  const gate = deps.gate(intentLog(deps, row), caller)
  const decision = await gate.judge(tool, bound.bound, ctx)
  if (decision.effect === 'deny') {
    return endCall(deps, row, 'waiting', toolError('refused', decision.reason, decision.hint), { ctx, ms: 0 })
  }
  if (decision.effect === 'ask') {
    if (row.approval_id === decision.approvalId) return undefined
    await setRemoteApproval(deps.store.db, row.id, decision.approvalId, deps.clock.now())
    return deps.sendCard(decision.approvalId, caller)
  }
  if (!(await begin(gate, bound.bound, ctx, decision.approvalId))) return undefined
  const started = deps.clock.monotonic()
  const result = await run(deps, tool, parsed.args, ctx, bound.bound)
  return endCall(deps, row, 'begun', result, { ctx, ms: Math.round(deps.clock.monotonic() - started) })
}

/** Raised inside the gate's transaction when another process began the call first: nothing of it happens. */
class BegunElsewhere extends Error {}

function intentLog(deps: CallDeps, row: RemoteCallRow): IntentLog {
  return {
    entries: () => [],
    adopt: () => {},
    appendIn: async (db, entry) => {
      const now = deps.clock.now()
      if (!(await beginRemoteCall(db, row.id, deps.presence.owner, now))) throw new BegunElsewhere()
      return { seq: 0, at: now, runId: row.id, entry }
    },
  }
}

async function begin(
  gate: Gate,
  bound: BoundCall,
  ctx: ToolContext,
  approvalId: string | undefined,
): Promise<boolean> {
  try {
    return await gate.begin(bound, ctx, approvalId)
  } catch (error) {
    if (error instanceof BegunElsewhere) return false
    throw error
  }
}

async function run(
  deps: CallDeps,
  tool: AnyTool,
  args: unknown,
  ctx: ToolContext,
  bound: BoundCall,
): Promise<ToolResult> {
  try {
    return await tool.run(args, ctx, deps.stopping, bound)
  } catch (error) {
    if (isAppError(error)) return toolError(error.code.replace(/^tool\./, ''), error.message, error.hint)
    deps.logger.error({ tool: tool.name, error }, 'a tool failed by a fault of its own')
    return toolError(
      'failed',
      'The tool failed by a fault of the service.',
      'Try another way; the log says why.',
    )
  }
}

/** Stores the result, cleaned of what the service knows as secret, and tells whoever waits. */
export async function endCall(
  deps: CallDeps,
  row: RemoteCallRow,
  from: 'waiting' | 'begun',
  raw: ToolResult,
  about?: { readonly ctx: ToolContext; readonly ms: number },
): Promise<void> {
  const result = disciplined(raw, deps.discipline.redact)
  const isMine = await endRemoteCall(
    deps.store.db,
    { id: row.id, from },
    JSON.stringify(result),
    deps.clock.now(),
  )
  if (isMine && about) report(deps, row, result, about)
  deps.changes.tell()
}

function report(
  deps: CallDeps,
  row: RemoteCallRow,
  result: ToolResult,
  { ctx, ms }: { readonly ctx: ToolContext; readonly ms: number },
): void {
  deps.discipline.report({
    tool: row.tool,
    callId: row.id,
    args: row.arguments,
    status: result.ok ? 'ok' : result.error.type === 'refused' ? 'denied' : 'failed',
    ms,
    characters: result.ok ? result.text.length : result.error.message.length,
    ...(result.ok ? {} : { error: result.error }),
    sessionId: row.session_id,
    runId: row.id,
    address: ctx.address,
    requester: ctx.requester,
  })
}
