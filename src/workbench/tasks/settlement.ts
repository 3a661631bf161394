/** Updates a task's row after its run has ended. Safe to repeat at any time. */
import { taskSession } from '../../protocol/workbench.ts'
import { findInbox } from '../../store/repositories/inbox.ts'
import { openRun, recentRuns } from '../../store/repositories/runs.ts'
import { readEntries } from '../../store/repositories/session-log.ts'
import { findSession } from '../../store/repositories/sessions.ts'
import { activeTasks, changeTask, findTask } from '../../store/repositories/workbench-tasks.ts'
import type { RunRow, WorkbenchTaskRow } from '../../store/schema.ts'
import type { Db } from '../../store/store.ts'
import type { WorkbenchDeps } from '../deps.ts'
import { flushCards, putCompletedCard } from './card.ts'

export interface Settlement {
  /** Settles one task if its run has ended. */
  settle(taskId: string): Promise<void>
  /** Settles every task whose run ended while nobody looked: after a crash, on another machine. */
  sweep(): Promise<void>
}

const TAIL_CHARACTERS = 4_000

export function createSettlement(deps: WorkbenchDeps): Settlement {
  const { db } = deps.store
  const settleRow = async (row: WorkbenchTaskRow): Promise<void> => {
    const session = taskSession(row.id, row.session_id)
    if (await openRun(db, session)) return
    const message = row.prompt === null ? undefined : await findInbox(db, row.prompt)
    if (message?.state === 'waiting') return
    const run = (await recentRuns(db, session, 1))[0]
    // Its message is taken, its run is not there yet: the worker is between the two.
    if (!run && message?.state === 'taken') return
    const isThis = run !== undefined && run.started_at >= (message?.received_at ?? 0)
    const tail = isThis ? await lastWords(db, session, run) : row.output_tail
    const end = outcomeOf(isThis ? run : undefined, deps.random.id())
    const stored = await deps.store.transaction(async (trx) => {
      const detail = { run: row.run_id, outcome: end.execution_state }
      await deps.audit.append(trx, { actor: 'system', action: 'task.settled', subject: row.id, detail })
      const changed = await changeTask(trx, row, { ...end, output_tail: tail, updated_at: deps.clock.now() })
      if (changed?.stage === 'completed') await putCompletedCard(trx, deps, changed)
      return changed
    })
    if (stored) flushCards(deps, stored)
  }
  /** A task that was completed or stopped while its run still spoke: keeps its last words. */
  const keepWords = async (row: WorkbenchTaskRow): Promise<void> => {
    const session = taskSession(row.id, row.session_id)
    const run = (await recentRuns(db, session, 1))[0]
    if (!run || run.id !== row.run_id || run.ended_at === null) return
    await changeTask(db, row, { output_tail: await lastWords(db, session, run) })
  }
  return {
    settle: async (taskId) => {
      const row = await findTask(db, taskId)
      if (!row) return
      await (row.execution_state === 'active' ? settleRow(row) : keepWords(row))
    },
    sweep: async () => {
      for (const row of await activeTasks(db))
        await settleRow(row).catch((error: unknown) =>
          deps.logger.error({ task: row.id, error }, 'a task could not be settled; it is tried again'),
        )
    },
  }
}

function outcomeOf(run: RunRow | undefined, nonce: string): Partial<WorkbenchTaskRow> {
  if (!run) return { execution_state: 'failed', last_error: 'not_delivered' }
  switch (run.state) {
    case 'done':
      return { stage: 'completed', execution_state: 'completed', nonce }
    case 'stopped':
      return { execution_state: 'stopped' }
    default:
      return { execution_state: 'failed', last_error: run.reason ?? 'failed' }
  }
}

/** The end of what the agent said last in a run. */
async function lastWords(db: Db, session: string, run: RunRow): Promise<string> {
  const epoch = (await findSession(db, session))?.epoch ?? 0
  const said = (await readEntries(db, session, epoch)).findLast(
    ({ entry, runId }) => runId === run.id && entry.type === 'assistant' && entry.text.trim() !== '',
  )
  return said?.entry.type === 'assistant' ? said.entry.text.slice(-TAIL_CHARACTERS).toWellFormed() : ''
}
