/**
 * Judging a completed task: by a person, always. The tool counts only when a person clicked for that
 * exact call; the card and the command carry the person themselves. The agent that did the work never judges.
 */
import { z } from 'zod'
import { personName } from '../../approval/person-names.ts'
import type { Receipt } from '../../protocol/adapter.ts'
import { type Address, chatKey, type UserKey } from '../../protocol/address.ts'
import type { ActionEvent, Sender } from '../../protocol/inbound.ts'
import type { Caller } from '../../protocol/workbench.ts'
import { changeTask, findTask } from '../../store/repositories/workbench-tasks.ts'
import type { WorkbenchTaskRow } from '../../store/schema.ts'
import type { WorkbenchDeps } from '../deps.ts'
import { refusal } from '../errors.ts'
import type { Workspaces } from '../workspaces.ts'
import { changedMeanwhile, requireOutside, seenTask } from './board.ts'
import { taskCard } from './card.ts'
import { type TaskView, type Validation, validationsOf, viewOf } from './task.ts'

export interface Verification {
  /** For the tool: `callId` is the call that a person must have approved. */
  byCall(caller: Caller, callId: string, taskId: string, note: string): Promise<TaskView>
  /** For a person who typed it. */
  byPerson(
    caller: Caller,
    taskId: string,
    person: Sender,
    result: Validation['result'],
    note: string,
  ): Promise<WorkbenchTaskRow>
  /** For a click; undefined when the card is none of a task. */
  byClick(event: ActionEvent): Promise<Receipt | undefined>
}

const valueSchema = z.strictObject({
  t: z.string().min(1).max(64),
  v: z.enum(['pass', 'fail']),
  n: z.string().min(16).max(64),
})

export function createVerification(deps: WorkbenchDeps, workspaces: Workspaces): Verification {
  const { db } = deps.store
  return {
    byCall: async (caller, callId, taskId, note) => {
      requireOutside(caller)
      const { row, workspace } = await seenTask(deps, workspaces, caller, taskId)
      requireCompleted(row)
      const approval = await deps.approvals.byCall(caller.sessionId, callId)
      if (approval?.status !== 'consumed' || approval.decided_by === null)
        throw refusal(
          'needs_person',
          'A task is verified by a person, and nobody decided on this call.',
          'A person can press the button on the card of the task, or send /tasks pass with its id.',
        )
      const by = { by: approval.decided_by, name: personName(approval.decided_by, approval.decided_name) }
      return viewOf(db, await judge(deps, row, { ...by, result: 'passed', note }), workspace.id)
    },

    byPerson: async (caller, taskId, person, result, note) => {
      const { row } = await seenTask(deps, workspaces, caller, taskId)
      requireCompleted(row)
      requireJudge(deps, row, person)
      return judge(deps, row, { ...named(person), result, note })
    },

    byClick: async (event) => {
      if (!('t' in event.value)) return undefined
      const text = deps.text(event.address.botId)
      const value = valueSchema.safeParse(event.value)
      const row = value.success ? await findTask(db, value.data.t) : undefined
      if (!value.success || !row || row.nonce !== value.data.n || !isHere(row, event.address))
        return { toast: { tone: 'error', text: text('task.toast.not_found') } }
      if (row.stage !== 'completed')
        return { toast: { tone: 'info', text: text('task.toast.already') }, card: taskCard(row, text) }
      const verdict = judgeVerdict(deps, row, event.operator)
      if (verdict !== undefined)
        return { toast: { tone: 'error', text: text(`approval.refused.${verdict}`) } }
      const result = value.data.v === 'pass' ? 'passed' : 'failed'
      const judged = await judge(deps, row, { ...named(event.operator), result, note: '' })
      const card = taskCard({ ...judged, stage: result === 'passed' ? 'verified' : 'todo' }, text)
      return { toast: { tone: 'success', text: text(`task.toast.${result}`) }, card }
    },
  }
}

function requireCompleted(row: WorkbenchTaskRow): void {
  if (row.stage !== 'completed')
    throw refusal('not_completed', 'Only a completed task can be verified.', 'task_list shows its stage.')
}

function isHere(row: WorkbenchTaskRow, here: Address): boolean {
  return chatKey(JSON.parse(row.address) as Address) === chatKey(here)
}

function judgeVerdict(deps: WorkbenchDeps, row: WorkbenchTaskRow, person: Sender): string | undefined {
  const requester = (row.requester ?? row.created_by) as UserKey
  const verdict = deps.access.mayDecide(person, { requester, address: JSON.parse(row.address) as Address })
  return verdict.ok ? undefined : verdict.reason
}

function requireJudge(deps: WorkbenchDeps, row: WorkbenchTaskRow, person: Sender): void {
  if (judgeVerdict(deps, row, person) !== undefined)
    throw refusal('may_not_judge', 'This person may not judge the task.', 'Approvers judge tasks.')
}

function named(person: Sender): Pick<Validation, 'by' | 'name'> {
  return { by: person.user, name: personName(person.user, person.name ?? null) }
}

/** Passed: verified, or back to todo if it recurs. Failed: back to todo, with the note for the next try. */
async function judge(
  deps: WorkbenchDeps,
  row: WorkbenchTaskRow,
  verdict: Omit<Validation, 'at'>,
): Promise<WorkbenchTaskRow> {
  const now = deps.clock.now()
  const again = verdict.result === 'failed' || row.recurring !== 0
  const stored = await deps.store.transaction(async (trx) => {
    const action = verdict.result === 'passed' ? 'task.verified' : 'task.rejected'
    await deps.audit.append(trx, {
      actor: verdict.by,
      action,
      subject: row.id,
      detail: { note: verdict.note },
    })
    return changeTask(trx, row, {
      stage: again ? 'todo' : 'verified',
      ...(again ? { execution_state: 'idle' } : {}),
      validations: JSON.stringify([...validationsOf(row).slice(-49), { ...verdict, at: now }]),
      updated_at: now,
    })
  })
  if (!stored) throw changedMeanwhile()
  return stored
}
