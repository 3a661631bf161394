/**
 * Running tasks. A task's run is an ordinary run in a session of its own, started by a message that no
 * person sent; the worker, its log and its approvals do the rest, so a crash loses nothing.
 */
import type { Transaction } from 'kysely'
import { z } from 'zod'
import { type Address, chatKey } from '../../protocol/address.ts'
import { type Caller, taskOfSession, taskSession } from '../../protocol/workbench.ts'
import { closeInbox, findInbox, insertInbox } from '../../store/repositories/inbox.ts'
import { openRun } from '../../store/repositories/runs.ts'
import { openFreshSession, setSessionModel, setStopRequested } from '../../store/repositories/sessions.ts'
import { changeTask, tasksOf } from '../../store/repositories/workbench-tasks.ts'
import type { Database, WorkbenchTaskRow } from '../../store/schema.ts'
import type { Db } from '../../store/store.ts'
import type { WorkbenchDeps } from '../deps.ts'
import { refusal } from '../errors.ts'
import type { Workspaces } from '../workspaces.ts'
import { modelOf } from './agents.ts'
import { changedMeanwhile, requireOutside, seenTask } from './board.ts'
import { putCompletedCard } from './card.ts'
import { promptMessage } from './prompt.ts'
import { AGENT_TYPES, deliveryOf, type TaskView, viewOf } from './task.ts'

export interface Execution {
  /** Only a task in `todo` or one that failed. Resolves when the run is certain to start, not when it ends. */
  execute(caller: Caller, taskId: string): Promise<TaskView>
  /** Only a task that is being executed. Its session, workspace and terminal stay. */
  stop(caller: Caller, taskId: string): Promise<TaskView>
  /** Only a task that was stopped; goes on in the same conversation. */
  resume(caller: Caller, taskId: string): Promise<TaskView>
  /** Only a task whose agent has got its prompt: being executed, or stopped. A person verifies it next. */
  complete(caller: Caller, taskId: string): Promise<TaskView>
}

export function createExecution(deps: WorkbenchDeps, workspaces: Workspaces): Execution {
  const { db } = deps.store
  const begin = async (
    caller: Caller,
    taskId: string,
    mayBegin: (row: WorkbenchTaskRow) => boolean,
    refused: Error,
    resumed: boolean,
  ): Promise<TaskView> => {
    requireOutside(caller)
    const { row, workspace } = await seenTask(deps, workspaces, caller, taskId)
    if (!mayBegin(row)) throw refused
    const session = taskSession(row.id, row.session_id)
    if (await openRun(db, session))
      throw refusal('still_stopping', 'The last run is still ending.', 'Try again in a moment.')
    const stored = await deps.store.transaction((trx) => start(trx, deps, caller, row, resumed))
    await deps.queue.wake(session)
    return viewOf(db, stored, workspace.id)
  }

  return {
    execute: (caller, taskId) =>
      begin(
        caller,
        taskId,
        (row) => row.stage === 'todo' || row.execution_state === 'failed',
        refusal('not_executable', 'Only a task in todo or one that failed can be executed.', HOW_TO_BEGIN),
        false,
      ),

    resume: (caller, taskId) =>
      begin(
        caller,
        taskId,
        (row) => row.stage === 'executing' && row.execution_state === 'stopped',
        refusal('not_stopped', 'Only a task that was stopped can be resumed.', HOW_TO_BEGIN),
        true,
      ),

    stop: async (caller, taskId) => {
      const { row, workspace } = await seenTask(deps, workspaces, caller, taskId)
      if (row.execution_state !== 'active')
        throw refusal('not_executing', 'The task is not being executed.', 'task_list shows its state.')
      const stored = await deps.store.transaction(async (trx) => {
        await haltRun(trx, row)
        return finishAs(trx, deps, caller, row, { execution_state: 'stopped' }, 'task.stopped')
      })
      await nudge(deps, caller, row)
      return viewOf(db, stored, workspace.id)
    },

    complete: async (caller, taskId) => {
      const { row, workspace } = await seenTask(deps, workspaces, caller, taskId)
      await requireCompletable(db, caller, row)
      const isOwn = taskOfSession(caller.sessionId) === row.id
      const stored = await deps.store.transaction(async (trx) => {
        // The agent itself still has its last words to say.
        if (!isOwn) await haltRun(trx, row)
        return completeIn(trx, deps, caller, row)
      })
      if (!isOwn && row.execution_state === 'active') await nudge(deps, caller, row)
      deps.outbox.flush(chatKey(JSON.parse(row.address) as Address))
      return viewOf(db, stored, workspace.id)
    },
  }
}

const HOW_TO_BEGIN =
  'task_list shows the state. A stopped task is resumed, a completed one is verified, a verified one stays.'

async function requireCompletable(db: Db, caller: Caller, row: WorkbenchTaskRow): Promise<void> {
  const inside = taskOfSession(caller.sessionId)
  if (inside !== undefined && inside !== row.id)
    throw refusal('inside_task', 'An agent completes only its own task.', 'Complete the task you work on.')
  if (row.stage !== 'executing' || (row.execution_state !== 'active' && row.execution_state !== 'stopped'))
    throw refusal('not_executing', 'Only a task that is being executed can be completed.', HOW_TO_BEGIN)
  if ((await deliveryOf(db, row)) !== 'delivered')
    throw refusal(
      'not_delivered',
      'The agent has not got the task yet.',
      'Wait until it runs, or delete the task.',
    )
}

/** The task's row, its session and the message to its agent, in one transaction. */
async function start(
  trx: Transaction<Database>,
  deps: WorkbenchDeps,
  caller: Caller,
  row: WorkbenchTaskRow,
  resumed: boolean,
): Promise<WorkbenchTaskRow> {
  const now = deps.clock.now()
  const others = (await tasksOf(trx, row.session_id)).filter((one) => one.execution_state === 'active')
  if (others.length >= deps.config.tasksAtOnce)
    throw refusal(
      'tasks_busy',
      `${others.length} tasks are being executed here.`,
      'Wait for one, or stop one.',
    )
  const agentType = z.enum(AGENT_TYPES).parse(row.agent_type)
  const choice = { agentType, profileId: row.profile_id, modelName: row.model_name }
  const model = modelOf(deps.settings.models(), choice)
  const runId = deps.random.id()
  const key = `task:${row.id}:${row.run_count + 1}:${runId}`
  const stored = await changeTask(trx, row, {
    ...{ stage: 'executing', execution_state: 'active', run_id: runId, prompt: key, last_error: null },
    ...{ requester: caller.user, run_count: row.run_count + 1, updated_at: now },
    ...(resumed ? {} : { attempts: row.attempts + 1, output_tail: '' }),
  })
  if (!stored) throw changedMeanwhile()
  const address = JSON.parse(row.address) as Address
  const session = taskSession(row.id, row.session_id)
  if (!resumed) await openFreshSession(trx, session, address, now)
  await setStopRequested(trx, session, false)
  await setSessionModel(trx, session, model)
  const text = deps.text(address.botId)
  const people = { requester: caller.user, others: caller.others }
  const event = promptMessage({ row, key, runId, ...people, resumed, now, text })
  const message = { dedupe: key, sessionId: session, botId: address.botId, payload: JSON.stringify(event) }
  await insertInbox(trx, [{ ...message, kind: 'message', state: 'waiting', receivedAt: now }])
  const entry = { actor: caller.user, action: resumed ? 'task.resumed' : 'task.executed', subject: row.id }
  await deps.audit.append(trx, { ...entry, detail: { run: runId, model } })
  return stored
}

/** Takes back a message nobody took, and asks the run that took it to stop. */
async function haltRun(trx: Db, row: WorkbenchTaskRow): Promise<void> {
  const message = row.prompt === null ? undefined : await findInbox(trx, row.prompt)
  if (message) await closeInbox(trx, [message.id], 'dropped')
  const session = taskSession(row.id, row.session_id)
  if (await openRun(trx, session)) await setStopRequested(trx, session, true)
}

async function finishAs(
  trx: Transaction<Database>,
  deps: WorkbenchDeps,
  caller: Caller,
  row: WorkbenchTaskRow,
  change: Partial<WorkbenchTaskRow>,
  action: string,
): Promise<WorkbenchTaskRow> {
  const stored = await changeTask(trx, row, { ...change, updated_at: deps.clock.now() })
  if (!stored) throw changedMeanwhile()
  await deps.audit.append(trx, { actor: caller.user, action, subject: row.id, detail: { run: row.run_id } })
  return stored
}

async function completeIn(
  trx: Transaction<Database>,
  deps: WorkbenchDeps,
  caller: Caller,
  row: WorkbenchTaskRow,
): Promise<WorkbenchTaskRow> {
  const change = { stage: 'completed', execution_state: 'completed', nonce: deps.random.id() } as const
  const stored = await finishAs(trx, deps, caller, row, change, 'task.completed')
  await putCompletedCard(trx, deps, stored)
  return stored
}

/** After the commit: cancels pending approvals and interrupts the run in the process that works on it. */
async function nudge(deps: WorkbenchDeps, caller: Caller, row: WorkbenchTaskRow): Promise<void> {
  const session = taskSession(row.id, row.session_id)
  await deps.approvals.cancelSession(session, caller.user)
  deps.interrupt(session)
  await deps.queue.wake(session)
}
