/** Who asks, for the desk; and its refusals as results that the model can act on. */
import { isAppError } from '../../protocol/errors.ts'
import type { Asker, ScheduleDesk } from '../../protocol/schedule.ts'
import { type ToolContext, type ToolResult, toolError } from '../../protocol/tool.ts'

export interface ScheduleTools {
  readonly desk: ScheduleDesk
  /** The requester of a run with his name and the tools that he has in this chat. */
  readonly asker: (ctx: Pick<ToolContext, 'requester' | 'address' | 'runId'>) => Promise<Asker>
}

/** Runs what the desk does; a refusal becomes a result with the words of the chat. */
export async function asking(ctx: ToolContext, work: () => Promise<string>): Promise<ToolResult> {
  try {
    return { ok: true, text: await work() }
  } catch (error) {
    if (!isAppError(error)) throw error
    return toolError(error.code, error.message, error.hint || ctx.text(`error.${error.code}`, error.params))
  }
}
