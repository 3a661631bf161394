import { z } from 'zod'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import { taskFields } from '../../workbench/tasks/board.ts'
import type { Workbench } from '../../workbench/workbench.ts'
import { oneLine } from '../one-line.ts'
import { callerOf, idField, jsonAnswer, workspaceField } from './shape.ts'

export function createTaskCreateTool({ board }: Workbench): AnyTool {
  const { title, agentType, priority, recurring, ...others } = taskFields.shape
  return defineTool({
    name: 'task_create',
    description:
      'Puts a task on the board; nothing runs yet. task_execute starts an agent on it in the background. For steps of your own work use todo_write.',
    input: z.strictObject({
      workspaceId: workspaceField,
      projectId: idField.describe('Project from task_list: a folder of the workspace, or "." for all of it.'),
      title,
      agentType,
      ...z.object(others).partial().shape,
      priority: priority.default('medium'),
      recurring: recurring.default(false),
    }),
    readOnly: false,
    risk: 'write',
    title: (args, text) => text('workbench.task_create.title', { title: oneLine(args.title) }),
    run: ({ workspaceId, projectId, ...task }, ctx) =>
      jsonAnswer(() => board.create(callerOf(ctx), workspaceId, projectId, task)),
  })
}
