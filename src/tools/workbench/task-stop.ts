import { z } from 'zod'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import type { Workbench } from '../../workbench/workbench.ts'
import { callerOf, jsonAnswer, taskField } from './shape.ts'

export function createTaskStopTool({ execution }: Workbench): AnyTool {
  return defineTool({
    name: 'task_stop',
    description:
      'Stops the agent of a task that is being executed. Its conversation, files and terminal stay; task_resume goes on.',
    input: z.strictObject({ taskId: taskField }),
    readOnly: false,
    risk: 'write',
    title: (args, text) => text('workbench.task_stop.title', { id: args.taskId }),
    run: (args, ctx) => jsonAnswer(() => execution.stop(callerOf(ctx), args.taskId)),
  })
}
