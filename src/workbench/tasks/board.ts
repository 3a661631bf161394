/** The task board: what there is, and changes of what a task says. Running it is `execution.ts`. */
import { z } from 'zod'
import { type Caller, isTaskSession } from '../../protocol/workbench.ts'
import { prepareFolders } from '../../session/workspace.ts'
import {
  changeTask,
  deleteTask,
  findTask,
  insertTask,
  tasksOf,
} from '../../store/repositories/workbench-tasks.ts'
import type { WorkbenchTaskRow } from '../../store/schema.ts'
import type { WorkbenchDeps } from '../deps.ts'
import { missing, refusal } from '../errors.ts'
import { listProjects, type Project, relativeFolder } from '../projects.ts'
import type { Terminals } from '../terminals/terminals.ts'
import type { Workspace, Workspaces } from '../workspaces.ts'
import { modelOf } from './agents.ts'
import { AGENT_TYPES, type TaskView, viewOf } from './task.ts'

const id = z.string().min(1).max(256)

/** What a task says; every field of `task_create` beside workspace and project. */
export const taskFields = z.object({
  title: z.string().trim().min(1).max(500).describe('What is to be done, in a line.'),
  description: z.string().max(20_000).describe('Everything the agent must know.'),
  acceptanceCriteria: z.string().max(5_000).describe('How a person will judge the result.'),
  priority: z.enum(['low', 'medium', 'high']),
  agentType: z
    .enum(AGENT_TYPES)
    .describe('claude: an Anthropic profile; codex: an OpenAI profile; grok: a Grok model; opencode: any.'),
  profileId: id.describe('Model profile; default: the default one, if it fits the agent.'),
  modelName: z.string().min(1).max(120).describe("Another model than the profile's."),
  workingDirectory: z.string().min(1).max(1_000).describe('Folder, relative to the workspace.'),
  preferredTerminalId: id.describe('Open terminal that the agent should use.'),
  recurring: z.boolean().describe('Back to todo after it was verified.'),
})

/** Any of the fields of {@link taskFields}. */
export const taskChange = taskFields.partial()
export type TaskFields = z.output<typeof taskChange>
type NewTask = TaskFields & Pick<z.output<typeof taskFields>, 'title' | 'agentType'>

export interface Board {
  list(
    caller: Caller,
    workspaceId: string,
  ): Promise<{
    readonly version: number
    readonly workspaceId: string
    readonly projects: readonly Project[]
    /** Folders beyond those listed. */
    readonly moreProjects: number
    readonly tasks: readonly TaskView[]
  }>
  create(caller: Caller, workspaceId: string, projectId: string, task: NewTask): Promise<TaskView>
  update(caller: Caller, taskId: string, change: TaskFields): Promise<TaskView>
  delete(caller: Caller, taskId: string): Promise<void>
}

/** Tasks of one workspace. */
const MOST = 200
const VERSION = 1

/** The task and its workspace, if the caller sees them; else `workbench.task_not_found`. */
export async function seenTask(
  deps: Pick<WorkbenchDeps, 'store'>,
  workspaces: Workspaces,
  caller: Caller,
  taskId: string,
): Promise<{ readonly row: WorkbenchTaskRow; readonly workspace: Workspace }> {
  const row = await findTask(deps.store.db, taskId)
  const workspace = row && (await workspaces.ofSession(caller, row.session_id))
  if (!row || !workspace) throw missing('task', 'task_list gives the ids.')
  return { row, workspace }
}

/** An agent that works on a task does not make, start or judge tasks. */
export function requireOutside(caller: Caller): void {
  if (isTaskSession(caller.sessionId))
    throw refusal(
      'inside_task',
      'An agent that works on a task may not do this.',
      'Say in your answer what should be done; a person or the chat does it.',
    )
}

export function changedMeanwhile(): Error {
  return refusal(
    'changed',
    'The task was changed by somebody else just now.',
    'Read it again with task_list.',
  )
}

/** The board of the service. What a caller may not see is refused as if it were not there. */
export function createBoard(deps: WorkbenchDeps, workspaces: Workspaces, terminals: Terminals): Board {
  const room: Room = { deps, workspaces, terminals }
  return {
    list: async (caller, workspaceId) => {
      const { db } = deps.store
      const workspace = await workspaces.find(caller, workspaceId)
      const { projects, more } = await listProjects(workspace.folder)
      const rows = await tasksOf(db, workspace.sessionId)
      const tasks = await Promise.all(rows.map((row) => viewOf(db, row, workspace.id)))
      return { version: VERSION, workspaceId, projects, moreProjects: more, tasks }
    },
    create: (...args) => create(room, ...args),
    update: (...args) => update(room, ...args),
    delete: (...args) => remove(room, ...args),
  }
}

interface Room {
  readonly deps: WorkbenchDeps
  readonly workspaces: Workspaces
  readonly terminals: Terminals
}

async function create(
  room: Room,
  ...[caller, workspaceId, projectId, task]: Parameters<Board['create']>
): Promise<TaskView> {
  const { deps, workspaces } = room
  const { store, audit } = deps
  requireOutside(caller)
  const workspace = await workspaces.find(caller, workspaceId)
  requireOwnFolder(deps, workspace)
  const project = await relativeFolder(workspace.folder, projectId)
  const fields = await checked(room, caller, workspace, task)
  const row = newRow(deps, caller, workspace, project.name, fields)
  checkAgent(deps, row)
  const stored = await store.transaction(async (trx) => {
    if ((await tasksOf(trx, workspace.sessionId)).length >= MOST)
      throw refusal('task_limit', `The board has ${MOST} tasks.`, 'Delete tasks that are done.')
    const entry = { actor: caller.user, action: 'task.created', subject: row.id }
    await audit.append(trx, { ...entry, detail: { title: row.title, session: row.session_id } })
    return insertTask(trx, row)
  })
  return viewOf(store.db, stored, workspace.id)
}

async function update(
  room: Room,
  ...[caller, taskId, change]: Parameters<Board['update']>
): Promise<TaskView> {
  const { deps, workspaces } = room
  const { store, audit, clock } = deps
  requireOutside(caller)
  const { row, workspace } = await seenTask(deps, workspaces, caller, taskId)
  requireIdle(row)
  const fields = columnsOf(await checked(room, caller, workspace, change))
  checkAgent(deps, { ...row, ...fields })
  // Another agent cannot go on with what the stopped one began.
  const otherAgent = fields.agent_type !== undefined && fields.agent_type !== row.agent_type
  const restart =
    row.execution_state === 'stopped' && otherAgent
      ? { stage: 'todo' as const, execution_state: 'idle' as const, run_id: null, prompt: null }
      : {}
  const stored = await store.transaction(async (trx) => {
    const entry = { actor: caller.user, action: 'task.changed', subject: row.id }
    await audit.append(trx, { ...entry, detail: { fields: Object.keys(fields) } })
    return changeTask(trx, row, { ...fields, ...restart, updated_at: clock.now() })
  })
  if (!stored) throw changedMeanwhile()
  return viewOf(store.db, stored, workspace.id)
}

async function remove(
  { deps, workspaces }: Room,
  ...[caller, taskId]: Parameters<Board['delete']>
): Promise<void> {
  requireOutside(caller)
  const { row } = await seenTask(deps, workspaces, caller, taskId)
  requireIdle(row)
  const gone = await deps.store.transaction(async (trx) => {
    const entry = { actor: caller.user, action: 'task.deleted', subject: row.id }
    await deps.audit.append(trx, { ...entry, detail: { title: row.title } })
    return deleteTask(trx, row)
  })
  if (!gone) throw changedMeanwhile()
}

/** The fields with the folder as the workspace names it; refuses a folder or terminal that is not the caller's. */
async function checked<Fields extends TaskFields>(
  { terminals }: Room,
  caller: Caller,
  workspace: Workspace,
  fields: Fields,
): Promise<Fields> {
  if (fields.preferredTerminalId !== undefined) {
    const terminal = await terminals.find(caller, fields.preferredTerminalId)
    if (terminal.workspaceId !== workspace.id) throw missing('terminal', 'terminal_list gives the ids.')
  }
  if (fields.workingDirectory === undefined) return fields
  return {
    ...fields,
    workingDirectory: (await relativeFolder(workspace.folder, fields.workingDirectory)).name,
  }
}

/** Refuses an agent whose model, as the settings stand now, is not there. */
function checkAgent(
  { settings }: WorkbenchDeps,
  row: Pick<WorkbenchTaskRow, 'agent_type' | 'profile_id' | 'model_name'>,
): void {
  const agentType = z.enum(AGENT_TYPES).parse(row.agent_type)
  modelOf(settings.models(), { agentType, profileId: row.profile_id, modelName: row.model_name })
}

/** Tasks are worked on by the service, in folders that it keeps. */
function requireOwnFolder(deps: WorkbenchDeps, { sessionId, folder }: Workspace): void {
  if (folder !== prepareFolders(deps.dataDir, sessionId).workspace)
    throw refusal(
      'foreign_folder',
      'Tasks cannot work in a folder outside the service.',
      'Use the workspace of a chat (mcp.serve.callers: workspaces), or a terminal here.',
    )
}

function requireIdle(row: WorkbenchTaskRow): void {
  if (row.execution_state === 'active')
    throw refusal('task_executing', 'The task is being executed.', 'Stop it first with task_stop.')
}

function columnsOf(fields: TaskFields): Partial<WorkbenchTaskRow> {
  const columns: { [Key in keyof WorkbenchTaskRow]?: WorkbenchTaskRow[Key] | undefined } = {
    title: fields.title,
    description: fields.description,
    acceptance: fields.acceptanceCriteria,
    priority: fields.priority,
    agent_type: fields.agentType,
    profile_id: fields.profileId,
    model_name: fields.modelName,
    folder: fields.workingDirectory,
    terminal_id: fields.preferredTerminalId,
    recurring: fields.recurring === undefined ? undefined : Number(fields.recurring),
  }
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
}

function newRow(
  deps: WorkbenchDeps,
  caller: Caller,
  workspace: Workspace,
  projectId: string,
  fields: NewTask,
): WorkbenchTaskRow {
  return {
    id: `task_${deps.random.id(10)}`,
    session_id: workspace.sessionId,
    address: JSON.stringify(workspace.address),
    project_id: projectId,
    title: fields.title,
    description: fields.description ?? '',
    acceptance: fields.acceptanceCriteria ?? '',
    priority: fields.priority ?? 'medium',
    agent_type: fields.agentType,
    profile_id: fields.profileId ?? null,
    model_name: fields.modelName ?? null,
    folder: fields.workingDirectory ?? null,
    terminal_id: fields.preferredTerminalId ?? null,
    recurring: Number(fields.recurring ?? false),
    ...{ stage: 'todo', execution_state: 'idle', attempts: 0, run_count: 0, version: 1 },
    ...{ run_id: null, prompt: null, requester: null, last_error: null },
    ...{ output_tail: '', validations: '[]', nonce: '', created_by: caller.user },
    created_at: deps.clock.now(),
    updated_at: deps.clock.now(),
  }
}
