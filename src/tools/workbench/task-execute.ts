import { z } from 'zod'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import type { Workbench } from '../../workbench/workbench.ts'
import { callerOf, jsonAnswer, taskField } from './shape.ts'

export function createTaskExecuteTool({ execution }: Workbench): AnyTool {
  return defineTool({
    name: 'task_execute',
    description:
      'Starts an agent on a task in the background and returns at once with the state starting; follow it with task_list. Only a task in todo or one that failed. What needs approval is asked in the chat.',
    input: z.strictObject({ taskId: taskField }),
    readOnly: false,
    risk: 'write',
    title: (args, text) => text('workbench.task_execute.title', { id: args.taskId }),
    run: (args, ctx) => jsonAnswer(() => execution.execute(callerOf(ctx), args.taskId)),
  })
}
