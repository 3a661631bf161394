/** Turns what a tool's inner functions throw into the result the model reads. */
import { isAppError } from '../protocol/errors.ts'
import { type ToolResult, toolError } from '../protocol/tool.ts'

/** Runs `work`; an `AppError` becomes a failed result, anything else is a bug and passes. */
export async function asResult(work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work()
  } catch (error) {
    if (!isAppError(error)) throw error
    return toolError(error.code.replace(/^tool\./, ''), error.message, error.hint)
  }
}
