/** Which tools a caller has: exactly those of its groups and names, in a stable order (M11). */
import type { AnyTool } from '../../protocol/tool.ts'

/** Tools by the name of their group. */
export type ToolGroups = Readonly<Record<string, readonly AnyTool[]>>

/** `all` takes every group; what is no group is the name of a tool. Unknown words give nothing. */
export function toolsOf(groups: ToolGroups, wanted: readonly string[]): readonly AnyTool[] {
  const chosen = new Map<string, AnyTool>()
  const words = new Set(wanted)
  for (const [group, tools] of Object.entries(groups)) {
    for (const tool of tools) {
      const isWanted = words.has('all') || words.has(group) || words.has(tool.name)
      if (isWanted && !chosen.has(tool.name)) chosen.set(tool.name, tool)
    }
  }
  return [...chosen.values()]
}

/** Words that are neither a group nor a tool. */
export function unknownWords(groups: ToolGroups, wanted: readonly string[]): readonly string[] {
  const names = new Set([
    'all',
    ...Object.keys(groups),
    ...Object.values(groups).flatMap((tools) => tools.map((tool) => tool.name)),
  ])
  return wanted.filter((word) => !names.has(word))
}
