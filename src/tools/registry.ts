/**
 * The tools of a session as the model and the engine need them: specs, arguments, bound calls. Knows
 * every tool's schema; refuses to know who may use it (policy) and where its result goes (engine).
 */
import { z } from 'zod'
import { isAppError } from '../protocol/errors.ts'
import type { ToolCall, ToolSpec } from '../protocol/model.ts'
import type { LogEntry } from '../protocol/session-log.ts'
import type { AnyTool, BoundCall, ToolContext, ToolError } from '../protocol/tool.ts'
import { parseArguments } from './arguments.ts'
import { nearest } from './nearest.ts'
import { offeredTools } from './shelves.ts'

type ParsedCall =
  | { readonly ok: true; readonly tool: AnyTool; readonly args: unknown }
  | { readonly ok: false; readonly error: ToolError }

type BindResult =
  | { readonly ok: true; readonly bound: BoundCall }
  | { readonly ok: false; readonly error: ToolError }

/** Made anew when a session's tools change, never changed. */
export interface ToolRegistry {
  readonly tools: readonly AnyTool[]
  /** For the model request; the same order and bytes every time, so that a prompt cache holds. */
  readonly specs: readonly ToolSpec[]
  /** Those of {@link ToolRegistry.specs} that a request after these entries carries. */
  offered(entries: readonly LogEntry[]): readonly ToolSpec[]
  find(name: string): AnyTool | undefined
  /** Checks a call of the model; a failure is a result the model can learn from. */
  parse(call: ToolCall): ParsedCall
  /** The call in its final form; a tool that refuses (`AppError`) gives an error result, not an exception. */
  bind(tool: AnyTool, args: unknown, ctx: ToolContext): Promise<BindResult>
}

/** Throws on two tools of one name: nothing may shadow a tool (M2). */
export function createToolRegistry(tools: readonly AnyTool[]): ToolRegistry {
  const byName = new Map<string, AnyTool>()
  for (const tool of tools) {
    if (byName.has(tool.name)) throw new Error(`two tools are named ${tool.name}`)
    byName.set(tool.name, tool)
  }
  const specs = tools.map(specOf)
  const specByTool = new Map(tools.map((tool, at) => [tool, specs[at]]))
  return {
    tools,
    specs,
    offered: (entries) => offeredTools(tools, entries).flatMap((tool) => specByTool.get(tool) ?? []),
    find: (name) => byName.get(name),
    parse(call) {
      const tool = byName.get(call.name)
      if (!tool) return { ok: false, error: unknownTool(call.name, [...byName.keys()]) }
      const parsed = parseArguments(tool, call.arguments)
      return parsed.ok ? { ok: true, tool, args: parsed.args } : parsed
    },
    async bind(tool, args, ctx) {
      try {
        return { ok: true, bound: (await tool.bind?.(args, ctx)) ?? { tool: tool.name, args } }
      } catch (error) {
        if (!isAppError(error)) throw error
        const { code, message, hint } = error
        return { ok: false, error: { type: code.replace(/^tool\./, ''), message, hint } }
      }
    },
  }
}

/** Tools that exist on a platform. */
export function toolsFor(platform: string, tools: readonly AnyTool[]): AnyTool[] {
  return tools.filter((tool) => tool.platforms?.includes(platform) ?? true)
}

function specOf(tool: AnyTool): ToolSpec {
  if (tool.parameters) return { name: tool.name, description: tool.description, parameters: tool.parameters }
  const { $schema: _, ...parameters } = z.toJSONSchema(tool.input, { io: 'input' })
  return { name: tool.name, description: tool.description, parameters }
}

function unknownTool(name: string, known: readonly string[]): ToolError {
  const meant = nearest(name, known)
  return {
    type: 'not_found',
    message: `There is no tool "${name}"${meant ? `; did you mean "${meant}"?` : '.'}`,
    hint: `The tools are: ${known.join(', ')}.`,
  }
}
