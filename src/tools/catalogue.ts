/** Which tools a session has, and what people read about them. */
import type { Translate } from '../protocol/ports.ts'
import type { Sandbox } from '../protocol/sandbox.ts'
import type { AnyTool, ToolSummary } from '../protocol/tool.ts'
import { builtinTools } from './index.ts'
import { createToolRegistry, toolsFor } from './registry.ts'

export interface ToolCatalogue {
  /** The same array for the same arguments: what the model is told stays byte-equal between turns. */
  readonly forSession: (platform: string, mayOperate: boolean) => readonly AnyTool[]
  /** One line about a call for people, from the model's own arguments; those as they are when they are broken. */
  readonly titleOf: (name: string, args: string, text: Translate) => string
  readonly summaries: (platform: string, text: Translate) => readonly ToolSummary[]
}

export function createToolCatalogue(
  sandbox: Sandbox,
  all: readonly AnyTool[] = builtinTools(),
): ToolCatalogue {
  const known = new Map<string, readonly AnyTool[]>()
  const forSession = (platform: string, mayOperate: boolean): readonly AnyTool[] => {
    const key = `${platform}:${mayOperate}`
    const tools =
      known.get(key) ?? toolsFor(platform, all).filter((tool) => mayOperate || tool.risk === 'read')
    known.set(key, tools)
    return tools
  }
  const registry = createToolRegistry(all)
  return {
    forSession,
    titleOf: (name, args, text) => {
      const parsed = registry.parse({ id: '', name, arguments: args })
      return parsed.ok ? parsed.tool.title(parsed.args, text) : args
    },
    summaries: (platform, text) => {
      const { kind, reason } = sandbox.status()
      return forSession(platform, true).map((tool) => ({
        name: tool.name,
        about: text(`tool.${tool.name}`),
        ...(tool.risk === 'command' && kind === 'unavailable' ? { problem: reason } : {}),
      }))
    },
  }
}
