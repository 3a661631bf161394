import { z } from 'zod'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import type { Workbench } from '../../workbench/workbench.ts'
import { callerOf, jsonAnswer, taskField } from './shape.ts'

export function createTaskCompleteTool({ execution }: Workbench): AnyTool {
  return defineTool({
    name: 'task_complete',
    description:
      'Says that a task that is being executed is done, so that a person can judge it. The agent that works on it calls this when the acceptance criteria are met; called by others, it also stops the agent.',
    input: z.strictObject({ taskId: taskField }),
    readOnly: false,
    risk: 'write',
    title: (args, text) => text('workbench.task_complete.title', { id: args.taskId }),
    run: (args, ctx) => jsonAnswer(() => execution.complete(callerOf(ctx), args.taskId)),
  })
}
