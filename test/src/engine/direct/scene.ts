/** The direct engine at work on one message, with a scripted model and a gate that a test holds. */
import { createDirectEngine } from '../../../../src/engine/index.ts'
import type { AgentEvent, GateDecision } from '../../../../src/protocol/engine.ts'
import type { LogEntry } from '../../../../src/protocol/session-log.ts'
import type { AnyTool, ToolResult } from '../../../../src/protocol/tool.ts'
import {
  collect,
  createFakeGate,
  type EngineSetup,
  engineDeps,
  fakeTool,
  ok,
} from '../../../support/engine-deps.ts'
import { createMemorySession, type MemorySession } from '../../../support/memory-session.ts'
import { createScriptedModel, type ScriptedModel, type ScriptStep } from '../../../support/scripted-model.ts'

export const engine = createDirectEngine()

export interface Scene {
  readonly session: MemorySession
  readonly model: ScriptedModel
  readonly decisions: Record<string, GateDecision>
  readonly runs: string[]
  run(signal?: AbortSignal): Promise<AgentEvent[]>
}

/** A session with one message, tools `look` (read-only) and `write`, and a scripted model. */
export function scene(
  steps: readonly ScriptStep[],
  more: Partial<EngineSetup> & { tools?: AnyTool[] } = {},
): Scene {
  const session = createMemorySession()
  session.say('请开始')
  const model = createScriptedModel(steps)
  const decisions: Record<string, GateDecision> = {}
  const runs: string[] = []
  const note =
    (name: string) =>
    (text: string): ToolResult => {
      runs.push(`${name} ${text}`)
      return ok(`${name} saw ${text}`)
    }
  const gate = createFakeGate(() => session, decisions)
  const tools = [
    fakeTool('look', true, note('look')),
    fakeTool('write', false, note('write')),
    ...(more.tools ?? []),
  ]
  const deps = engineDeps(session, { model, gate, ...more, tools })
  const run = (signal = new AbortController().signal): Promise<AgentEvent[]> =>
    collect(engine.run(session, deps, signal))
  return { session, model, decisions, runs, run }
}

export const entries = (session: MemorySession): LogEntry[] => session.log.map(({ entry }) => entry)
export const types = (session: MemorySession): string[] =>
  entries(session).map((entry) => ('callId' in entry ? `${entry.type} ${entry.callId}` : entry.type))
export const results = (session: MemorySession): string[] =>
  entries(session).flatMap((entry) => (entry.type === 'result' ? [`${entry.callId}: ${entry.text}`] : []))
