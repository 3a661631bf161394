/** A scene of the demo model that calls a tool of another server by its name. */
import { block, type Scene } from './demo-stage.ts'

/** "调用 mcp__everything__echo {"message":"hi"}". */
export const mcpCall: Scene = ({ said, text }) => {
  const words =
    /(?:调用|使用|call|use)\s*(?:工具|the tool)?\s*[`“"]?(mcp__[\w-]+)[`”"]?\s*(\{[\s\S]*\})?/i.exec(said)
  const tool = words?.[1]
  if (tool === undefined) return undefined
  const args = objectOf(words?.[2])
  return [
    () => ({ say: text('demo.mcp', { tool }), call: { tool, args } }),
    ([output = '']) => ({ say: text('demo.mcp_done', { tool, result: block(output) }) }),
  ]
}

function objectOf(json: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json ?? '{}')
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    // Not JSON: the tool itself says which fields it needs.
    return {}
  }
}
