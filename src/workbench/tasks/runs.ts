/** What differs in a run that works on a task: its tools, and the line under its answer. */
import { ANSWER_DEADLINE_MS } from '../../outbound/deadlines.ts'
import type { ScheduledPlan } from '../../protocol/schedule.ts'
import { isTaskSession, taskOfSession } from '../../protocol/workbench.ts'
import { findTask } from '../../store/repositories/workbench-tasks.ts'
import type { WorkbenchDeps } from '../deps.ts'

/** An agent at work makes no work for others, judges nothing and changes no settings. */
const NEVER = new Set([
  ...['task_create', 'task_update', 'task_delete', 'task_execute', 'task_stop', 'task_resume', 'task_verify'],
  ...['settings_update', 'model_profile_update', 'network_profile_update', 'cron_manage'],
])

/** The plan of a task's run; undefined for other sessions. */
export async function taskPlan(
  deps: Pick<WorkbenchDeps, 'store' | 'text'>,
  sessionId: string,
): Promise<ScheduledPlan | undefined> {
  const id = taskOfSession(sessionId)
  if (id === undefined || !isTaskSession(sessionId)) return undefined
  const row = await findTask(deps.store.db, id)
  return {
    // A task that was deleted has no tools left.
    mayUse: (tool) => row !== undefined && !NEVER.has(tool),
    deliverWithinMs: ANSWER_DEADLINE_MS,
    notes: async () => {
      const current = row && (await findTask(deps.store.db, id))
      if (!current) return []
      const botId = (JSON.parse(current.address) as { botId: string }).botId
      return [deps.text(botId)('task.note', { title: current.title, run: current.run_count })]
    },
  }
}
