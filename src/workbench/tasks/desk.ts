/** The task board for chat commands: lists, and what a person may do with a word. */
import { AppError } from '../../protocol/errors.ts'
import type { TaskDesk } from '../../protocol/workbench.ts'
import { findTask, tasksOf } from '../../store/repositories/workbench-tasks.ts'
import type { WorkbenchDeps } from '../deps.ts'
import { missing, refusal } from '../errors.ts'
import type { Workspaces } from '../workspaces.ts'
import type { Execution } from './execution.ts'
import { lineOf } from './task.ts'
import type { Verification } from './verification.ts'

export function createTaskDesk(
  deps: WorkbenchDeps,
  parts: { workspaces: Workspaces; execution: Execution; verification: Verification },
): TaskDesk {
  const { db } = deps.store
  const { execution, verification } = parts
  return {
    enabled: deps.config.task,
    list: async (caller) => {
      const [own] = await parts.workspaces.visible(caller)
      const rows = own ? await tasksOf(db, own.sessionId) : []
      return Promise.all(rows.map((row) => lineOf(db, row)))
    },
    act: async (deed, taskId, caller, person, note) => {
      if (!deps.config.task) throw new AppError('workbench.off', 'The task board is switched off.')
      if (!deps.access.mayOperate(caller.user, caller.address))
        throw refusal('may_not_operate', 'This person may not operate.', 'Ask an administrator.')
      switch (deed) {
        case 'run':
          await execution.execute(caller, taskId)
          break
        case 'stop':
          await execution.stop(caller, taskId)
          break
        case 'resume':
          await execution.resume(caller, taskId)
          break
        case 'pass':
        case 'fail': {
          const result = deed === 'pass' ? 'passed' : 'failed'
          await verification.byPerson(caller, taskId, person, result, note)
          break
        }
        default:
          deed satisfies never
      }
      const row = await findTask(db, taskId)
      if (!row) throw missing('task', '')
      return lineOf(db, row)
    },
  }
}
