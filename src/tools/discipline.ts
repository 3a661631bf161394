/**
 * The form every result has, whatever tool made it: no known secret, an error with a type, a message of
 * bounded length and something to try next. Used by whoever carries calls out: the engine, the MCP server.
 */
import type { ToolError, ToolResult } from '../protocol/tool.ts'
import { cutMiddle } from './model-copy.ts'

const NO_HINT = 'Try it in another way; if it fails again, tell the person what failed.'

/** The result as the model and the chat may see it. */
export function disciplined(result: ToolResult, redact: ((text: string) => string) | undefined): ToolResult {
  const clean = redact ?? ((text: string) => text)
  return result.ok
    ? { ...result, text: clean(result.text) }
    : { ok: false, error: uniform(result.error, clean) }
}

/** `tool.refused` → `refused`; an empty hint becomes a general one. */
function uniform(error: ToolError, clean: (text: string) => string): ToolError {
  return {
    type: error.type.replace(/^tool\./, ''),
    message: cutMiddle(clean(error.message), 'ask for less at once'),
    hint: clean(error.hint) || NO_HINT,
  }
}
