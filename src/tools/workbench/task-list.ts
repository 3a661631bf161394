import { z } from 'zod'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import type { Workbench } from '../../workbench/workbench.ts'
import { callerOf, jsonAnswer, workspaceField } from './shape.ts'

export function createTaskListTool({ board }: Workbench): AnyTool {
  return defineTool({
    name: 'task_list',
    description:
      "Shows a workspace's projects (its folders) and its tasks with stage, state, last words and judgements. Poll it to follow a task.",
    input: z.strictObject({ workspaceId: workspaceField }),
    readOnly: true,
    risk: 'read',
    title: (_args, text) => text('workbench.task_list.title'),
    run: (args, ctx) => jsonAnswer(() => board.list(callerOf(ctx), args.workspaceId)),
  })
}
