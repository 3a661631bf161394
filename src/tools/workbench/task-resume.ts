import { z } from 'zod'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import type { Workbench } from '../../workbench/workbench.ts'
import { callerOf, jsonAnswer, taskField } from './shape.ts'

export function createTaskResumeTool({ execution }: Workbench): AnyTool {
  return defineTool({
    name: 'task_resume',
    description: 'Lets a stopped task go on in the same conversation. Only a task that was stopped.',
    input: z.strictObject({ taskId: taskField }),
    readOnly: false,
    risk: 'write',
    title: (args, text) => text('workbench.task_resume.title', { id: args.taskId }),
    run: (args, ctx) => jsonAnswer(() => execution.resume(callerOf(ctx), args.taskId)),
  })
}
