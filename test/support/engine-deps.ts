import { z } from 'zod'
import { createTranslate } from '../../src/locale/index.ts'
import type { AgentEvent, EngineDeps, Gate, GateDecision } from '../../src/protocol/engine.ts'
import type { Model } from '../../src/protocol/model.ts'
import type { SessionView } from '../../src/protocol/session-log.ts'
import { type AnyTool, defineTool, type ToolContext, type ToolResult } from '../../src/protocol/tool.ts'
import { createManualClock, type ManualClock } from './clock.ts'
import { createCollectingLogger } from './logger.ts'

/** A tool with one text argument; `run` gets it and the context. */
export function fakeTool(
  name: string,
  readOnly: boolean,
  run: (text: string, signal: AbortSignal) => Promise<ToolResult> | ToolResult,
): AnyTool {
  return defineTool({
    name,
    description: name,
    input: z.strictObject({ text: z.string() }),
    readOnly,
    risk: readOnly ? 'read' : 'write',
    title: ({ text }) => `${name} ${text}`,
    run: async ({ text }, _ctx, signal) => run(text, signal),
  })
}

export const ok = (text: string): ToolResult => ({ ok: true, text })

/** A gate with decisions by call id; allows what it has no decision for. Appends intents as the real one. */
export function createFakeGate(
  session: () => SessionView,
  decisions: Record<string, GateDecision> = {},
): Gate & { decisions: Record<string, GateDecision>; begun: string[] } {
  const begun: string[] = []
  return {
    decisions,
    begun,
    judge: async (_tool, _bound, ctx) => decisions[ctx.callId] ?? { effect: 'allow' },
    begin: async (bound, ctx, approvalId) => {
      if (approvalId && begun.includes(approvalId)) return false
      if (approvalId) begun.push(approvalId)
      const approval = approvalId === undefined ? {} : { approvalId }
      await session().append({ type: 'intent', callId: ctx.callId, tool: bound.tool, ...approval })
      return true
    },
  }
}

export interface EngineSetup {
  readonly model: Model
  readonly tools?: readonly AnyTool[]
  readonly gate: Gate
  readonly budget?: Partial<EngineDeps['budget']>
  readonly clock?: ManualClock
  readonly privateDir?: string
}

/** Dependencies of an engine run, everything real that can be. Calls get the ids call_1, call_2 … */
export function engineDeps(session: SessionView, setup: EngineSetup): EngineDeps {
  const clock = setup.clock ?? createManualClock()
  const logger = createCollectingLogger()
  const text = createTranslate('en')
  let ids = 0
  const context = (callId: string): ToolContext => ({
    sessionId: session.sessionId,
    runId: session.runId,
    callId,
    address: session.address,
    requester: session.requester,
    workspace: session.workspace,
    privateDir: setup.privateDir ?? '/nowhere',
    clock,
    logger,
    text,
    sandbox: {
      status: () => ({ kind: 'unavailable', reason: 'not in this test', profile: '' }),
      run: () => Promise.reject(new Error('no sandbox in this test')),
      close: async () => undefined,
    },
    sendFile: async () => ({ ok: true, messageId: 'om_sent' }),
    setTodos: () => undefined,
    limits: { fileBytes: 1_000_000, imageBytes: 1_000_000 },
  })
  return {
    model: setup.model,
    tools: setup.tools ?? [],
    gate: setup.gate,
    toolContext: context,
    system: 'You are a test.',
    budget: { maxSteps: 50, maxTokens: 1_000_000, maxMs: 3_600_000, ...setup.budget },
    text,
    clock,
    random: { id: () => String(++ids), float: () => 0.5 },
    logger,
  }
}

/** Reads a run to its end. */
export async function collect(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const all: AgentEvent[] = []
  for await (const event of events) all.push(event)
  return all
}
