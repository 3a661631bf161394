import { z } from 'zod'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import type { Workbench } from '../../workbench/workbench.ts'
import { callerOf, jsonAnswer, taskField } from './shape.ts'

export function createTaskVerifyTool({ verification }: Workbench): AnyTool {
  return defineTool({
    name: 'task_verify',
    description:
      'Records that a person has judged a completed task good. It always needs the click of a person on this call; the agent that did the work cannot call it.',
    input: z.strictObject({
      taskId: taskField,
      note: z.string().max(2_000).default('').describe('What was looked at, for the record.'),
    }),
    readOnly: false,
    risk: 'control',
    title: (args, text) => text('workbench.task_verify.title', { id: args.taskId }),
    run: (args, ctx) =>
      jsonAnswer(() => verification.byCall(callerOf(ctx), ctx.callId, args.taskId, args.note)),
  })
}
