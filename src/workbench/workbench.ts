/**
 * The workbench: workspaces with terminals that stay open, a board of tasks that agents work on in the
 * background, and settings that stand above the configuration. This room knows who sees what and what may
 * follow what; it refuses to know models, platforms and how a call was judged before it came here.
 */

import type { ScheduledPlan } from '../protocol/schedule.ts'
import { isTaskSession, type TaskDesk, taskOfSession } from '../protocol/workbench.ts'
import { findTask } from '../store/repositories/workbench-tasks.ts'
import { type Authority, createAuthority } from './authority.ts'
import type { WorkbenchDeps } from './deps.ts'
import type { Settings } from './settings/settings.ts'
import { type Board, createBoard } from './tasks/board.ts'
import { createTaskDesk } from './tasks/desk.ts'
import { createExecution, type Execution } from './tasks/execution.ts'
import { taskPlan } from './tasks/runs.ts'
import { createSettlement } from './tasks/settlement.ts'
import { createVerification, type Verification } from './tasks/verification.ts'
import { createTerminals, type Terminals } from './terminals/terminals.ts'
import { createWorkspaces, type Workspaces } from './workspaces.ts'

/** One for the service; each part judges for itself what a caller may see. */
export interface Workbench {
  readonly workspaces: Workspaces
  readonly terminals: Terminals
  readonly board: Board
  readonly execution: Execution
  readonly verification: Verification
  readonly settings: Settings
  readonly authority: Authority
  readonly desk: TaskDesk
  /** What differs in a task's run; undefined for other sessions. */
  planOf(sessionId: string): Promise<ScheduledPlan | undefined>
  /** Told of every run that is over. */
  runEnded(sessionId: string): Promise<void>
  /** Settles what ended while nobody looked; then again and again. */
  start(): Promise<void>
  /** Ends all terminals. */
  stop(): Promise<void>
}

const ROUND_MS = 10_000

/** Sweeps nothing before it is started. */
export function createWorkbench(deps: WorkbenchDeps): Workbench {
  const workspaces = createWorkspaces(deps.store.db, deps.dataDir, deps.alsoSees)
  const terminals = createTerminals(deps, workspaces)
  const execution = createExecution(deps, workspaces)
  const verification = createVerification(deps, workspaces)
  const settlement = createSettlement(deps)
  let cancel: (() => void) | undefined

  const round = async (): Promise<void> => {
    const ends = await Promise.allSettled([deps.settings.refresh(), settlement.sweep(), terminals.sweep()])
    for (const end of ends) {
      if (end.status === 'fulfilled') continue
      deps.logger.error(
        { error: end.reason },
        'the workbench could not finish its round; the next one tries again',
      )
    }
  }
  const again = (): void => {
    cancel = deps.clock.after(ROUND_MS, () => {
      void round().then(() => cancel && again())
    })
  }

  return {
    workspaces,
    terminals,
    board: createBoard(deps, workspaces, terminals),
    execution,
    verification,
    settings: deps.settings,
    authority: createAuthority(deps),
    desk: createTaskDesk(deps, { workspaces, execution, verification }),
    planOf: (sessionId) => taskPlan(deps, sessionId),
    runEnded: async (sessionId) => {
      const id = isTaskSession(sessionId) ? taskOfSession(sessionId) : undefined
      if (id !== undefined && (await findTask(deps.store.db, id))) await settlement.settle(id)
    },
    start: async () => {
      await terminals.start()
      await round()
      again()
    },
    stop: async () => {
      cancel?.()
      cancel = undefined
      await terminals.stop()
    },
  }
}
