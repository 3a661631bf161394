/** Results of calls as the log keeps them, and the engine's own words for calls that did not run. */
import { isAppError } from '../../protocol/errors.ts'
import type { LogEntry } from '../../protocol/session-log.ts'
import type { ToolContext, ToolError, ToolResult } from '../../protocol/tool.ts'
import { modelCopy } from '../../tools/model-copy.ts'

export type ResultEntry = Extract<LogEntry, { type: 'result' }>

/** The entry of a result; a long text is cut for the model and kept whole in the private folder. */
export async function resultEntry(
  callId: string,
  tool: string,
  ctx: ToolContext,
  result: ToolResult,
  ms: number,
): Promise<ResultEntry> {
  if (!result.ok) return failedEntry(callId, tool, result.error, ms)
  const copy = await modelCopy(result.text, { privateDir: ctx.privateDir, callId })
  return {
    type: 'result',
    callId,
    tool,
    ok: true,
    text: copy.text,
    ...(result.images ? { images: result.images } : {}),
    ...(result.truncated ? { truncated: result.truncated } : {}),
    ...(result.foreign ? { foreign: true } : {}),
    ...(copy.fullPath ? { fullPath: copy.fullPath } : {}),
    ms,
  }
}

/** The entry of a failure: message and hint are what the model reads. */
export function failedEntry(callId: string, tool: string, error: ToolError, ms: number): ResultEntry {
  const text = [error.message, error.hint].filter(Boolean).join('\n')
  return { type: 'result', callId, tool, ok: false, text, error, ms }
}

/** What a tool threw, as a failure; anything but an `AppError` is a bug of the tool. */
export function errorOf(error: unknown): ToolError {
  if (!isAppError(error)) return { type: 'failed', message: `The tool broke: ${String(error)}`, hint: '' }
  return { type: error.code, message: error.message, hint: error.hint }
}

export const OUTCOME_UNKNOWN: ToolError = {
  type: 'unknown_outcome',
  message: 'The outcome is unknown: the service was interrupted while this call ran, so it may have run.',
  hint: 'Check the state first; repeat the call only if it clearly had no effect.',
}

export const NOT_USABLE: ToolError = {
  type: 'refused',
  message: 'The approval of this call can no longer be used.',
  hint: 'Make the call again; it will be asked about anew.',
}

export const STOPPED: ToolError = {
  type: 'stopped',
  message: 'Stopped while it ran; it may have had a part of its effect.',
  hint: '',
}
