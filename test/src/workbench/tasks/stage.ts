/** Tasks on the board of a workbench, as its tests make and look at them. */
import { afterEach, beforeEach, expect } from 'vitest'
import type { Caller } from '../../../../src/protocol/workbench.ts'
import type { TaskView } from '../../../../src/workbench/tasks/task.ts'
import { openWorkbench, type WorkbenchBench } from '../bench.ts'

/** A workbench of its own for each test of a file. */
export interface TaskStage {
  readonly bench: WorkbenchBench
  /** As {@link createTask}. */
  create(fields?: object, caller?: Caller): Promise<TaskView>
  /** As {@link seenTask}. */
  seen(id: string): Promise<TaskView>
  /** The service dies and another takes its store over. */
  reborn(): Promise<void>
  /** Another one, over a store of its own, with this configuration. */
  reopen(options: Parameters<typeof openWorkbench>[0]): Promise<void>
}

/** Opens and closes the workbench around every test; call it at the top of a file. */
export function taskStage(): TaskStage {
  let bench: WorkbenchBench
  beforeEach(async () => {
    bench = await openWorkbench()
  })
  afterEach(() => bench.close())
  return {
    get bench() {
      return bench
    },
    create: (fields, caller) => createTask(bench, fields, caller),
    seen: (id) => seenTask(bench, id),
    reborn: async () => {
      bench = await bench.reborn()
    },
    reopen: async (options) => {
      await bench.close()
      bench = await openWorkbench(options)
    },
  }
}

/** A task in the first project; default: of chat a. */
async function createTask(
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
async function seenTask({ workbench, workspaceId, a }: WorkbenchBench, id: string): Promise<TaskView> {
  const { tasks } = await workbench.board.list(a, await workspaceId())
  const found = tasks.find((task) => task.id === id)
  if (!found) throw new Error('the task is gone')
  return found
}

/** Matches the refusal `workbench.<value>`. */
export const code = (value: string): unknown => expect.objectContaining({ code: `workbench.${value}` })
