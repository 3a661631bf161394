/**
 * Runs of the agent for remote clients: a message in a session of its own, bound to the caller's chat,
 * where the answer appears and where people are asked. The client may go away and ask again by id.
 */

import { z } from 'zod'
import type { MessageEvent } from '../../protocol/inbound.ts'
import type { Clock, Random, Translate } from '../../protocol/ports.ts'
import { REMOTE_RUNS } from '../../protocol/remote-session.ts'
import type { StoredEntry } from '../../protocol/session-log.ts'
import { type AnyTool, defineTool, type ToolResult, toolError } from '../../protocol/tool.ts'
import { insertInbox } from '../../store/repositories/inbox.ts'
import { endRemoteCall, findRemoteCall, insertRemoteCall } from '../../store/repositories/remote-calls.ts'
import { findRun } from '../../store/repositories/runs.ts'
import { readEntries } from '../../store/repositories/session-log.ts'
import { ensureNamedSession, findSession } from '../../store/repositories/sessions.ts'
import type { RemoteCallRow } from '../../store/schema.ts'
import type { Store } from '../../store/store.ts'
import type { CallState } from './call-state.ts'
import type { Caller } from './callers.ts'

export interface AgentDesk {
  /** `run_agent` begins or joins a run, `agent_result` looks for one, `stop_agent` ends one. */
  begin(caller: Caller, name: string, args: Record<string, unknown>): Promise<CallState>
  look(caller: Caller, row: RemoteCallRow): Promise<CallState>
}

export interface AgentDeskDeps {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly text: (caller: Caller) => Translate
  readonly wake: (sessionId: string) => Promise<void>
  /** Stops a session's run and takes its approvals back. */
  readonly stop: (sessionId: string, by: string) => Promise<void>
  /** What people see of an approval that waits in the session. */
  readonly waitingFor: (sessionId: string) => Promise<string | undefined>
}

const RUN = 'run_agent'
const RESULT = 'agent_result'
const STOP = 'stop_agent'

const id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'letters, digits, - and _, at most 64')

const runInput = z.strictObject({
  prompt: z
    .string()
    .min(1)
    .max(20_000)
    .describe('The task, in words. The agent answers in the same language.'),
  id: id
    .optional()
    .describe(
      'An id of your own for this run. Sending it again joins the same run and never starts a second one.',
    ),
  conversation: id
    .optional()
    .describe('Name of a conversation to go on with. Absent: a new one, with an empty workspace.'),
})
const idInput = z.strictObject({ id: id.describe('The id that run_agent returned.') })

export function isAgentTool(name: string): boolean {
  return name === RUN || name === RESULT || name === STOP
}

/** The group `agent`. They are carried out by {@link AgentDesk}, never by their own `run`. */
export function agentTools(): readonly AnyTool[] {
  const run = (): Promise<ToolResult> => Promise.reject(new Error('the desk carries this tool out'))
  return [
    defineTool({
      name: RUN,
      description:
        'Runs the agent on a task with its own tools and workspace. What it does is shown in the caller’s chat; calls that need a person ask there. Reports progress; if it takes longer than the wait, it returns an id for agent_result.',
      input: runInput,
      readOnly: false,
      risk: 'control',
      title: (_args, text) => text('mcp.remote.run_agent'),
      run,
    }),
    defineTool({
      name: RESULT,
      description:
        'The state or the result of a run that run_agent began, also after a restart of the service.',
      input: idInput,
      readOnly: true,
      risk: 'read',
      title: (_args, text) => text('mcp.remote.agent_result'),
      run,
    }),
    defineTool({
      name: STOP,
      description: 'Stops a run that run_agent began and takes back what it asked people for.',
      input: idInput,
      readOnly: false,
      risk: 'control',
      title: (_args, text) => text('mcp.remote.stop_agent'),
      run,
    }),
  ]
}

/** A run is a remote call with a session of its own; the runs of another caller do not exist for this one. */
export function createAgentDesk(deps: AgentDeskDeps): AgentDesk {
  const look = (caller: Caller, row: RemoteCallRow): Promise<CallState> => lookAt(deps, caller, row)
  return {
    look,
    begin: async (caller, name, args) => {
      if (name === RUN) return beginRun(deps, caller, runInput.parse(args))
      const wanted = idInput.parse(args).id
      const row = await findRemoteCall(deps.store.db, caller.name, wanted)
      if (!row)
        return ended(wanted, toolError('not_found', `There is no run ${wanted}.`, 'Use the id of run_agent.'))
      if (name === STOP) await deps.stop(row.session_id, caller.user)
      const state = await look(caller, row)
      if (state.state !== 'open') return state
      return ended(wanted, { ok: true, text: state.note, data: { id: wanted, state: 'open' } })
    },
  }
}

async function beginRun(
  deps: AgentDeskDeps,
  caller: Caller,
  args: z.output<typeof runInput>,
): Promise<CallState> {
  const { chat } = caller
  const callId = args.id ?? deps.random.id(10)
  if (!chat) {
    const hint = 'The operator binds this caller to a chat: mcp.serve.callers[].chat in yizhan.yaml.'
    return ended(
      callId,
      toolError('unavailable', 'This caller has no chat in which the agent could work.', hint),
    )
  }
  const known = await findRemoteCall(deps.store.db, caller.name, callId)
  if (known) return lookAt(deps, caller, known)
  const sessionId = `${REMOTE_RUNS}${caller.name}:${args.conversation ?? callId}`
  const now = deps.clock.now()
  const event: MessageEvent = {
    type: 'message',
    address: chat,
    messageId: `remote-${callId}`,
    sender: { user: caller.user, name: caller.name, isBot: false, isExternal: false },
    text: args.prompt,
    mentions: [],
    mentionsBot: true,
    mentionsAll: false,
    attachments: [],
    sentAt: now,
    replyTo: '',
  }
  await deps.store.transaction(async (trx) => {
    await ensureNamedSession(trx, sessionId, chat, now)
    const call = { id: callId, caller: caller.name, session_id: sessionId, tool: RUN }
    await insertRemoteCall(trx, { ...call, arguments: JSON.stringify(args), state: 'begun' }, now)
    await insertInbox(trx, [
      {
        dedupe: `${REMOTE_RUNS}${caller.name}:${callId}`,
        ...{ sessionId, botId: chat.botId, kind: 'message', state: 'waiting' },
        payload: JSON.stringify(event),
        receivedAt: now,
      },
    ])
  })
  await deps.wake(sessionId)
  return open(deps, caller, callId, 'queued')
}

/** The run's state as the log and the rows tell it; a result is stored once it is known. */
async function lookAt(deps: AgentDeskDeps, caller: Caller, row: RemoteCallRow): Promise<CallState> {
  const { db } = deps.store
  if (row.state === 'ended') return ended(row.id, JSON.parse(row.result ?? 'null') as ToolResult)
  const session = await findSession(db, row.session_id)
  const entries = session ? await readEntries(db, row.session_id, session.epoch) : []
  const started = entries.find(({ entry }) => isMessage(entry, `remote-${row.id}`))
  const run = started && (await findRun(db, started.runId))
  if (!run) return open(deps, caller, row.id, 'queued')
  if (run.ended_at === null) {
    const question = run.state === 'suspended' ? await deps.waitingFor(row.session_id) : undefined
    if (question !== undefined) return open(deps, caller, row.id, 'person', { what: question })
    return open(deps, caller, row.id, 'running', { steps: run.steps })
  }
  const text = lastWords(entries, run.id)
  const conversation = row.session_id.slice(REMOTE_RUNS.length + caller.name.length + 1)
  const result: ToolResult =
    run.state === 'done'
      ? { ok: true, text, data: { id: row.id, conversation, state: 'done', text } }
      : toolError(
          run.state === 'stopped' ? 'stopped' : 'failed',
          text || `The run ended: ${run.reason ?? run.state}.`,
          'The chat shows how far it came.',
        )
  await endRemoteCall(db, { id: row.id, from: 'begun' }, JSON.stringify(result), deps.clock.now())
  return ended(row.id, result)
}

function isMessage(entry: StoredEntry['entry'], messageId: string): boolean {
  return entry.type === 'user' && entry.messages.some((message) => message.messageId === messageId)
}

function lastWords(entries: readonly StoredEntry[], runId: string): string {
  const last = entries.findLast(({ entry, runId: of }) => of === runId && entry.type === 'assistant')
  return last?.entry.type === 'assistant' ? last.entry.text : ''
}

function open(
  deps: AgentDeskDeps,
  caller: Caller,
  callId: string,
  what: 'queued' | 'running' | 'person',
  params: Record<string, string | number> = {},
): CallState {
  return {
    state: 'open',
    id: callId,
    note: deps.text(caller)(`mcp.remote.${what}`, { id: callId, ...params }),
  }
}

function ended(callId: string, result: ToolResult): CallState {
  return { state: 'ended', id: callId, result }
}
