/** What the workbench tools share: who calls, how ids are written, how results and refusals look. */
import { z } from 'zod'
import { isAppError } from '../../protocol/errors.ts'
import type { ToolContext, ToolResult } from '../../protocol/tool.ts'
import type { Caller } from '../../protocol/workbench.ts'

export const idField = z.string().min(1).max(256)
export const workspaceField = idField.describe('Id from workspace_list.')
export const terminalField = idField.describe('Id from terminal_list.')
export const taskField = idField.describe('Id from task_list.')

export function callerOf(
  ctx: Pick<ToolContext, 'sessionId' | 'requester' | 'others' | 'address' | 'workspace'>,
): Caller {
  const { sessionId, requester: user, others, address, workspace: folder } = ctx
  return { sessionId, user, address, folder, ...(others ? { others } : {}) }
}

/** JSON as the result; a refusal of the workbench as a failed result the caller can act on. */
export async function jsonAnswer(work: () => Promise<unknown>): Promise<ToolResult> {
  try {
    const data = await work()
    return { ok: true, text: JSON.stringify(data, null, 2), data }
  } catch (error) {
    if (!isAppError(error)) throw error
    const { code, message, hint, retryable } = error
    return { ok: false, error: { type: typeOf(code, retryable), message, hint } }
  }
}

function typeOf(code: string, retryable: boolean): string {
  if (code.endsWith('_not_found')) return 'not_found'
  if (code.startsWith('sandbox.') || /\.no_(?:sandbox|script)$/.test(code) || retryable) return 'unavailable'
  if (/\.(?:terminal|task)_limit$|\.tasks_busy$/.test(code)) return 'limit'
  return 'refused'
}
