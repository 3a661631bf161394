import { z } from 'zod'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import { taskChange } from '../../workbench/tasks/board.ts'
import type { Workbench } from '../../workbench/workbench.ts'
import { callerOf, jsonAnswer, taskField } from './shape.ts'

export function createTaskUpdateTool({ board }: Workbench): AnyTool {
  return defineTool({
    name: 'task_update',
    description:
      'Changes fields of a task. Not while it is executed: stop it first. Another agent for a stopped task sends it back to todo.',
    input: z.strictObject({ taskId: taskField, ...taskChange.shape }),
    readOnly: false,
    risk: 'write',
    title: (args, text) => text('workbench.task_update.title', { id: args.taskId }),
    run: ({ taskId, ...change }, ctx) => jsonAnswer(() => board.update(callerOf(ctx), taskId, change)),
  })
}
