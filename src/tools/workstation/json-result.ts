/** Results that are data: the model reads the JSON, a program finds the same value in `data`. */
import type { ToolResult } from '../../protocol/tool.ts'

/** One object, a line per key. */
export function jsonResult(data: Readonly<Record<string, unknown>>): ToolResult {
  const lines = Object.entries(data)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`)
  return { ok: true, text: `{\n${lines.join(',\n')}\n}`, data }
}
