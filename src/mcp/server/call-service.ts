/**
 * Tool calls of remote clients. A call here is judged, asked for, audited and run like
 * one in a chat: same policy, same approvals, same rows. It knows callers, calls and people's answers;
 * it refuses to know the wire. A call that waits is a row, so a restart loses neither it nor its result.
 */
import type { ToolSpec } from '../../protocol/model.ts'
import type { Translate } from '../../protocol/ports.ts'
import { type ToolResult, toolError } from '../../protocol/tool.ts'
import {
  findRemoteCall,
  findWaitingCall,
  insertRemoteCall,
  openRemoteCalls,
  pruneRemoteCalls,
  recentRemoteCalls,
} from '../../store/repositories/remote-calls.ts'
import type { ApprovalRow, RemoteCallRow } from '../../store/schema.ts'
import { createToolRegistry, type ToolRegistry } from '../../tools/index.ts'
import { type AgentDesk, isAgentTool } from './agent.ts'
import { advance, type CallDeps, endCall } from './call.ts'
import type { CallOptions, CallState } from './call-state.ts'
import type { Caller } from './callers.ts'
import { type ToolGroups, toolsOf } from './tool-groups.ts'

/** What remote clients can do, whatever wire they came on. */
export interface CallService {
  specs(caller: Caller): readonly (ToolSpec & { readonly readOnly: boolean; readonly title: string })[]
  /** Runs a call, or waits for the person it needs, as long as the operator allows. */
  call(caller: Caller, name: string, args: Record<string, unknown>, options: CallOptions): Promise<CallState>
  /** A call of this caller; undefined for everybody else's. */
  look(caller: Caller, id: string): Promise<CallState | undefined>
  /** The newest calls of this caller, without their results. */
  recent(caller: Caller): Promise<readonly Pick<RemoteCallRow, 'id' | 'tool' | 'state'>[]>
  /** The language in which the caller's chat is spoken to. */
  text(caller: Caller): Translate
  /** An approval was decided or has expired. Returns at once. */
  approvalSettled(row: ApprovalRow): void
  /** Takes up what dead processes left; what another one runs is its own. */
  recover(): Promise<void>
}

/** Beside what a call needs, who calls and how long one waits. */
export interface CallServiceDeps extends CallDeps {
  readonly groups: () => ToolGroups
  readonly agent: AgentDesk
  /** Begins the ids of this desk's sessions: another desk on the same store leaves them alone. */
  readonly sessionPrefix: string
  /** How long a client waits that wants no progress. */
  readonly waitMs: number
  readonly callerOf: (name: string) => Caller | undefined
  readonly text: (caller: Caller) => Translate
}

/** How often a waiting call looks at the store, for decisions that another process took. */
const LOOK_MS = 1_000
/** How long a client waits that is told of progress. */
const PATIENT_MS = 15 * 60_000
/** How long a result can be fetched again. */
const KEPT_MS = 30 * 24 * 3_600_000
const LONGEST_ARGUMENTS = 1_000_000
/** Calls in the list of resources. */
const RECENT = 50

/** Several processes may serve the same store; what one began, another does not take up while it lives. */
export function createCallService(deps: CallServiceDeps): CallService {
  return {
    specs: (caller) => specsOf(deps, caller),
    look: (caller, id) => look(deps, caller, id),
    recent: (caller) => recentRemoteCalls(deps.store.db, caller.name, RECENT),
    text: deps.text,
    call: async (caller, name, args, options) => {
      const begun = await begin(deps, caller, name, args)
      return begun.state === 'open' ? wait(deps, caller, begun.id, options) : begun
    },
    approvalSettled: (row) => {
      deps.changes.tell()
      if (!row.session_id.startsWith(deps.sessionPrefix)) return
      settle(deps, row).catch((error: unknown) =>
        deps.logger.error({ approval: row.id, error }, 'a remote call could not be taken further'),
      )
    },
    recover: async () => {
      for (const row of await openRemoteCalls(deps.store.db, deps.sessionPrefix)) await recover(deps, row)
      await pruneRemoteCalls(deps.store.db, deps.clock.now() - KEPT_MS)
    },
  }
}

function registryOf(deps: CallServiceDeps, caller: Caller): ToolRegistry {
  return createToolRegistry(toolsOf(deps.groups(), caller.tools))
}

function specsOf(deps: CallServiceDeps, caller: Caller): ReturnType<CallService['specs']> {
  const registry = registryOf(deps, caller)
  const text = deps.text(caller)
  return registry.specs.map((spec) => {
    const tool = registry.find(spec.name)
    const title = tool?.about ?? text(`tool.${spec.name}`)
    return { ...spec, readOnly: tool?.readOnly ?? false, title }
  })
}

/** Exactly the listed tools can be called; arguments that do not fit are the protocol's own error. */
async function begin(
  deps: CallServiceDeps,
  caller: Caller,
  name: string,
  args: Record<string, unknown>,
): Promise<CallState> {
  const written = JSON.stringify(args)
  if (written.length > LONGEST_ARGUMENTS) return { state: 'refused', message: 'The arguments are too large.' }
  const parsed = registryOf(deps, caller).parse({ id: '', name, arguments: written })
  if (!parsed.ok) return { state: 'refused', message: `${parsed.error.message} ${parsed.error.hint}` }
  if (isAgentTool(name)) return deps.agent.begin(caller, name, args)
  const session = `${deps.sessionPrefix}${caller.name}`
  const same = { caller: caller.name, session_id: session, tool: name, arguments: written }
  const known = await findWaitingCall(deps.store.db, same)
  const id = known?.id ?? deps.random.id()
  if (!known) {
    await deps.openSession(session, caller)
    await insertRemoteCall(deps.store.db, { ...same, id, state: 'waiting' }, deps.clock.now())
  }
  await push(deps, caller, id)
  return { state: 'open', id, note: '' }
}

async function wait(
  deps: CallServiceDeps,
  caller: Caller,
  id: string,
  options: CallOptions,
): Promise<CallState> {
  const until = deps.clock.monotonic() + (options.onProgress ? PATIENT_MS : deps.waitMs)
  for (;;) {
    const state = await look(deps, caller, id)
    if (!state) return { state: 'refused', message: 'The call is no longer known.' }
    const isOver = deps.clock.monotonic() >= until || options.signal.aborted
    if (state.state !== 'open' || isOver) return state
    options.onProgress?.(state.note)
    await deps.changes.next(LOOK_MS, options.signal)
    await push(deps, caller, id)
  }
}

async function look(deps: CallServiceDeps, caller: Caller, id: string): Promise<CallState | undefined> {
  const row = await findRemoteCall(deps.store.db, caller.name, id)
  if (!row) return undefined
  if (isAgentTool(row.tool)) return deps.agent.look(caller, row)
  if (row.state === 'ended') {
    return { state: 'ended', id, result: JSON.parse(row.result ?? 'null') as ToolResult }
  }
  const note = row.approval_id === null ? 'mcp.remote.running' : 'mcp.remote.waiting'
  return { state: 'open', id, note: deps.text(caller)(note, { id, steps: 0 }) }
}

/** Advances a waiting call. Concurrent calls are harmless: only one of them starts it. */
async function push(deps: CallServiceDeps, caller: Caller, id: string): Promise<void> {
  const row = await findRemoteCall(deps.store.db, caller.name, id)
  if (row?.state !== 'waiting') return
  const tool = registryOf(deps, caller).find(row.tool)
  if (tool) return advance(deps, caller, row, tool)
  await endCall(
    deps,
    row,
    'waiting',
    toolError('refused', 'This tool is no longer yours.', 'Ask the operator.'),
  )
}

async function settle(deps: CallServiceDeps, row: ApprovalRow): Promise<void> {
  await deps.showDecision(row)
  const caller = deps.callerOf(row.session_id.slice(deps.sessionPrefix.length))
  if (caller) await push(deps, caller, row.call_id)
}

async function recover(deps: CallServiceDeps, row: RemoteCallRow): Promise<void> {
  const caller = deps.callerOf(row.caller)
  if (row.state === 'waiting' && caller) return push(deps, caller, row.id)
  const { presence } = deps
  const isHeld = row.owner === presence.owner || (await presence.isElsewhere(row.owner))
  if (row.state === 'begun' && isHeld) return
  const from = row.state === 'begun' ? 'begun' : 'waiting'
  const message = 'The service ended during this call; its outcome is unknown.'
  const hint = 'Look at what it changed before you repeat it.'
  await endCall(deps, row, from, toolError('failed', message, hint))
}
