/** Tasks on the board of a workbench, as its tests make and look at them. */
import { expect } from 'vitest'
import type { Caller } from '../../../../src/protocol/workbench.ts'
import type { TaskView } from '../../../../src/workbench/tasks/task.ts'
import type { WorkbenchBench } from '../bench.ts'

/** A task in the first project; default: of chat a. */
export async function createTask(
  { workbench, workspaceId, a }: WorkbenchBench,
  fields: object = {},
  caller: Caller = a,
): Promise<TaskView> {
  return workbench.board.create(caller, await workspaceId(caller), '.', {
    title: 'write the report',
    agentType: 'opencode',
    ...fields,
  })
}

/** The task as chat a sees it now. */
export async function seenTask({ workbench, workspaceId, a }: WorkbenchBench, id: string): Promise<TaskView> {
  const { tasks } = await workbench.board.list(a, await workspaceId())
  const found = tasks.find((task) => task.id === id)
  if (!found) throw new Error('the task is gone')
  return found
}

/** Matches the refusal `workbench.<value>`. */
export const code = (value: string): unknown => expect.objectContaining({ code: `workbench.${value}` })
