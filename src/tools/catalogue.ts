/**
 * Which tools a session has, and what people read about them. Tools come from sources: the built-in
 * ones, a bot's own (company approvals), servers that come and go. It does not know who runs what.
 */
import type { Translate } from '../protocol/ports.ts'
import type { AnyTool, ToolScope, ToolSummary } from '../protocol/tool.ts'
import { createToolRegistry, toolsFor } from './registry.ts'
import { createLoadToolsTool, LOAD_TOOLS } from './shelves.ts'

/** Where tools come from. No two sources may give a bot tools of one name: a registry throws then. */
export interface ToolSource {
  /** Tools of a bot, in a stable order. Cheap: asked for every run. */
  tools(botId: string): readonly AnyTool[]
  /** Why a tool of this source cannot be used right now and what to do; undefined when it can. */
  problem?(tool: AnyTool, text: Translate): string | undefined
}

/** What a session is given follows from bot, platform, and whether its people may operate. */
export interface ToolCatalogue {
  /** The same array as long as the tools are the same: what the model is told stays byte-equal between turns. */
  readonly forSession: (scope: ToolScope) => readonly AnyTool[]
  /** True for a tool that some session has been given. */
  readonly knows: (name: string) => boolean
  /** One line about a call for people, from the model's own arguments; those as they are when they are broken. */
  readonly titleOf: (name: string, args: string, text: Translate) => string
  readonly summaries: (scope: ToolScope, text: Translate) => readonly ToolSummary[]
}

/** Sources are asked in this order, which is the order of the tools. */
export function createToolCatalogue(sources: readonly ToolSource[]): ToolCatalogue {
  const known = new Map<string, { readonly found: readonly AnyTool[]; readonly given: readonly AnyTool[] }>()
  const givenTools = (): readonly AnyTool[] => [...known.values()].flatMap(({ given }) => given)
  const forSession = ({ botId, platform, mayOperate }: ToolScope): readonly AnyTool[] => {
    const all = sources.flatMap((source) => source.tools(botId))
    const now = toolsFor(platform, all).filter((tool) => mayOperate || tool.risk === 'read')
    const key = `${botId}\n${mayOperate}`
    const before = known.get(key)
    if (before && sameTools(before.found, now)) return before.given
    const loading = createLoadToolsTool(now)
    const given = loading ? [...now, loading] : now
    known.set(key, { found: now, given })
    return given
  }
  const problemOf = (tool: AnyTool, text: Translate): string | undefined => {
    for (const source of sources) {
      const problem = source.problem?.(tool, text)
      if (problem !== undefined) return problem
    }
    return undefined
  }
  return {
    forSession,
    knows: (name) => givenTools().some((tool) => tool.name === name),
    titleOf: (name, args, text) => {
      const tool = givenTools().find((one) => one.name === name)
      const parsed = tool && createToolRegistry([tool]).parse({ id: '', name, arguments: args })
      return parsed?.ok ? parsed.tool.title(parsed.args, text) : args
    },
    summaries: (scope, text) =>
      // The list for people leaves out `load_tools`: that some tools are loaded on demand concerns the model only.
      forSession(scope).flatMap((tool) => {
        if (tool.name === LOAD_TOOLS) return []
        const problem = problemOf(tool, text)
        return { name: tool.name, about: aboutOf(tool, text), ...(problem === undefined ? {} : { problem }) }
      }),
  }
}

function sameTools(a: readonly AnyTool[], b: readonly AnyTool[]): boolean {
  return a.length === b.length && a.every((tool, index) => tool === b[index])
}

/** Built-in tools are described in the locale files, tools of others in their own words. */
function aboutOf(tool: AnyTool, text: Translate): string {
  return tool.about ?? text(`tool.${tool.name}`)
}
