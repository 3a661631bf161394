/** Builds our MCP server: remote calls go through the same policy, approvals and audit as calls in chat. */

import type { Approvals } from '../approval/approvals.ts'
import { createGate } from '../approval/gate.ts'
import { requestOf } from '../approval/request.ts'
import type { Config } from '../config/schema.ts'
import { agentTools, createAgentDesk } from '../mcp/server/agent.ts'
import { type CallService, type CallServiceDeps, createCallService } from '../mcp/server/call-service.ts'
import { type Caller, type Callers, createCallers } from '../mcp/server/callers.ts'
import { createChanges } from '../mcp/server/changes.ts'
import type { ToolGroups } from '../mcp/server/tool-groups.ts'
import type { Audit } from '../observability/audit.ts'
import type { Outbox } from '../outbound/outbox.ts'
import type { Access } from '../policy/access.ts'
import { createCommandAnalyser } from '../policy/command/analysis.ts'
import { createPolicy } from '../policy/policy.ts'
import type { Adapter } from '../protocol/adapter.ts'
import type { GateDecision } from '../protocol/engine.ts'
import type { Clock, Logger, Random, Translate } from '../protocol/ports.ts'
import type { Sandbox } from '../protocol/sandbox.ts'
import type { ToolContext, ToolError } from '../protocol/tool.ts'
import type { CallDiscipline } from '../protocol/tool-calls.ts'
import type { ZoneTime } from '../protocol/zone-time.ts'
import { prepareFolders } from '../session/workspace.ts'
import type { Presence } from '../store/presence.ts'
import { ensureNamedSession, setStopRequested } from '../store/repositories/sessions.ts'
import type { Store } from '../store/store.ts'
import { addressOf } from './remote-address.ts'
import { sendCard, showDecision } from './remote-cards.ts'

export interface RemoteParts {
  readonly config: Config
  readonly store: Store
  readonly sandbox: Sandbox
  readonly dataDir: string
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly access: Access
  readonly approvals: Approvals
  readonly audit: Audit
  readonly presence: Presence
  readonly outbox: Pick<Outbox, 'put' | 'flush'>
  readonly discipline: CallDiscipline
  readonly adapter: (botId: string) => Adapter | undefined
  readonly zone: ZoneTime
  readonly text: (botId: string) => Translate
  readonly names: (users: readonly string[]) => Promise<Readonly<Record<string, string>>>
  /** Tools by group, without `agent`. */
  readonly groups: () => ToolGroups
  readonly wake: (sessionId: string) => Promise<void>
  readonly interrupt: (sessionId: string) => void
  readonly stopping: AbortSignal
  /** `remote:` for the service, one of its own for a stdio process. */
  readonly sessionPrefix: string
  /** Folder that calls work in; absent: one of the caller's own. */
  readonly workspace?: string | undefined
  readonly callers?: Callers
}

export interface Remote {
  readonly desk: CallService
  readonly groups: () => ToolGroups
  readonly callers: Callers
}

/** The desk for remote clients. */
export function buildRemote(parts: RemoteParts): Remote {
  const { config, clock, store, approvals, audit } = parts
  const callers = parts.callers ?? createCallers(config.mcp.serve.callers)
  const policy = createPolicy(config, parts.access)
  const analyser = createCommandAnalyser()
  const agent = agentTools()
  const groups = (): ToolGroups => ({ ...parts.groups(), agent })
  const deps: CallServiceDeps = {
    ...parts,
    groups,
    changes: createChanges(clock),
    waitMs: config.mcp.serve.wait,
    callerOf: callers.byName,
    text: (caller) => parts.text(addressOf(caller).botId),
    gate: (log, caller) =>
      createGate(
        {
          store,
          approvals,
          policy,
          analyser,
          confinement: config.sandbox,
          audit,
          unattended: async (_bound, ctx) => nobody(caller, ctx.text),
        },
        log,
      ),
    context: (sessionId, caller, callId) => contextOf(parts, sessionId, caller, callId),
    openSession: (id, caller) => ensureNamedSession(store.db, id, addressOf(caller), clock.now()),
    sendCard: (approvalId) => sendCard(parts, approvalId),
    showDecision: (row) => showDecision(parts, row),
    agent: createAgentDesk({
      ...parts,
      text: (caller) => parts.text(addressOf(caller).botId),
      stop: async (sessionId, by) => stopSession(parts, sessionId, by),
      waitingFor: async (sessionId) => {
        const [row] = await approvals.pendingFor(sessionId)
        return row && requestOf(row).title
      },
    }),
  }
  return { desk: createCallService(deps), callers, groups }
}

const NO_FILES: ToolError = {
  type: 'refused',
  message: 'A remote caller sends no files into a chat.',
  hint: 'Read the file instead.',
}

/** Without a chat there is nobody to ask. */
function nobody(caller: Caller, text: Translate): GateDecision | undefined {
  if (caller.chat) return undefined
  const params = { name: caller.name }
  return { effect: 'deny', reason: text('mcp.remote.no_chat'), hint: text('mcp.remote.no_chat.hint', params) }
}

function contextOf(parts: RemoteParts, sessionId: string, caller: Caller, callId: string): ToolContext {
  const address = addressOf(caller)
  const capabilities = parts.adapter(address.botId)?.capabilities
  const { workspace, privateDir } = prepareFolders(parts.dataDir, sessionId)
  return {
    sessionId,
    runId: callId,
    callId,
    address,
    requester: caller.user,
    workspace: parts.workspace ?? workspace,
    privateDir,
    clock: parts.clock,
    logger: parts.logger.child({ caller: caller.name, callId }),
    text: parts.text(address.botId),
    sandbox: parts.sandbox,
    limits: { fileBytes: capabilities?.fileBytes ?? 0, imageBytes: capabilities?.imageBytes ?? 0 },
    setTodos: () => {},
    sendFile: async () => ({ ok: false, maybeSent: false, error: NO_FILES }),
  }
}

async function stopSession(parts: RemoteParts, sessionId: string, by: string): Promise<void> {
  await setStopRequested(parts.store.db, sessionId, true)
  await parts.approvals.cancelSession(sessionId, by)
  parts.interrupt(sessionId)
  await parts.wake(sessionId)
}
