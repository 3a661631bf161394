import { z } from 'zod'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import type { Workbench } from '../../workbench/workbench.ts'
import { callerOf, jsonAnswer, taskField } from './shape.ts'

export function createTaskDeleteTool({ board }: Workbench): AnyTool {
  return defineTool({
    name: 'task_delete',
    description: 'Deletes a task from the board. Not while it is executed: stop it first. Files stay.',
    input: z.strictObject({ taskId: taskField }),
    readOnly: false,
    risk: 'write',
    title: (args, text) => text('workbench.task_delete.title', { id: args.taskId }),
    run: (args, ctx) =>
      jsonAnswer(async () => {
        await board.delete(callerOf(ctx), args.taskId)
        return { taskId: args.taskId, deleted: true }
      }),
  })
}
