/** A task as a row and as it is shown. */
import { z } from 'zod'
import type { TaskLine } from '../../protocol/workbench.ts'
import { findInbox } from '../../store/repositories/inbox.ts'
import { findRun } from '../../store/repositories/runs.ts'
import type { WorkbenchTaskRow } from '../../store/schema.ts'
import type { Db } from '../../store/store.ts'

export const AGENT_TYPES = ['claude', 'codex', 'opencode', 'grok'] as const

const validationSchema = z.object({
  result: z.enum(['passed', 'failed']),
  note: z.string(),
  by: z.string(),
  name: z.string(),
  at: z.number(),
})

export type Validation = z.output<typeof validationSchema>

/** Newest last. */
export function validationsOf(row: Pick<WorkbenchTaskRow, 'validations'>): Validation[] {
  return z.array(validationSchema).parse(JSON.parse(row.validations))
}

export interface TaskView {
  readonly id: string
  readonly workspaceId: string
  readonly projectId: string
  readonly title: string
  readonly description: string
  readonly acceptanceCriteria: string
  readonly priority: 'low' | 'medium' | 'high'
  readonly agentType: string
  readonly profileId: string | null
  readonly modelName: string | null
  readonly workingDirectory: string | null
  readonly preferredTerminalId: string | null
  readonly recurring: boolean
  readonly stage: TaskLine['stage']
  readonly executionState: TaskLine['state']
  readonly promptDeliveryState: 'idle' | 'pending' | 'delivered' | 'failed'
  readonly attempts: number
  readonly runCount: number
  readonly outputTail: string
  readonly lastError: string | null
  readonly validations: readonly Validation[]
  readonly createdAt: number
  readonly updatedAt: number
}

/** How far a task is right now. While it is active, its run and its message say so, not the task's row. */
export async function progressOf(
  db: Db,
  row: WorkbenchTaskRow,
): Promise<Pick<TaskView, 'executionState' | 'promptDeliveryState'>> {
  const delivery = await deliveryOf(db, row)
  if (row.execution_state !== 'active')
    return { executionState: row.execution_state, promptDeliveryState: delivery }
  const run = row.run_id === null ? undefined : await findRun(db, row.run_id)
  const state = run === undefined ? 'starting' : run.state === 'suspended' ? 'waiting' : 'running'
  return { executionState: state, promptDeliveryState: delivery }
}

/** Whether the agent has the prompt. Closed messages are forgotten after a week; their run is not. */
export async function deliveryOf(db: Db, row: WorkbenchTaskRow): Promise<TaskView['promptDeliveryState']> {
  if (row.prompt === null || row.run_id === null) return 'idle'
  const message = await findInbox(db, row.prompt)
  if (message?.state === 'waiting') return 'pending'
  if (message?.state === 'dropped') return 'failed'
  return message || (await findRun(db, row.run_id)) ? 'delivered' : 'failed'
}

export async function viewOf(db: Db, row: WorkbenchTaskRow, workspaceId: string): Promise<TaskView> {
  return {
    id: row.id,
    workspaceId,
    projectId: row.project_id,
    title: row.title,
    description: row.description,
    acceptanceCriteria: row.acceptance,
    priority: row.priority,
    agentType: row.agent_type,
    profileId: row.profile_id,
    modelName: row.model_name,
    workingDirectory: row.folder,
    preferredTerminalId: row.terminal_id,
    recurring: row.recurring !== 0,
    stage: row.stage,
    ...(await progressOf(db, row)),
    attempts: row.attempts,
    runCount: row.run_count,
    outputTail: row.output_tail,
    lastError: row.last_error,
    validations: validationsOf(row),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export async function lineOf(db: Db, row: WorkbenchTaskRow): Promise<TaskLine> {
  const { executionState } = await progressOf(db, row)
  return {
    id: row.id,
    title: row.title,
    stage: row.stage,
    state: executionState,
    runs: row.run_count,
    lastError: row.last_error ?? undefined,
  }
}
