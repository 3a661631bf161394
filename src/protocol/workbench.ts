/**
 * The workbench as the rest of the house sees it: the keys of its tasks' sessions, and the desk at which
 * people look at tasks and judge them.
 */
import type { Address, UserKey } from './address.ts'
import type { Sender } from './inbound.ts'

const PREFIX = 'task:'

/** Session of a task's runs, in the workspace of `owner`. Chats' keys have no colon, so the two never meet. */
export function taskSession(taskId: string, owner: string): string {
  return `${PREFIX}${taskId}:${encodeURIComponent(owner)}`
}

/** True for sessions in which a task is worked on: only the result is shown in the chat. */
export function isTaskSession(sessionId: string): boolean {
  return sessionId.startsWith(PREFIX)
}

/** The task of a task's session; undefined for other sessions. */
export function taskOfSession(sessionId: string): string | undefined {
  return isTaskSession(sessionId) ? sessionId.split(':')[1] : undefined
}

/** The session whose workspace a session works in: its own, unless it is a task's. */
export function workspaceOwner(sessionId: string): string {
  if (!isTaskSession(sessionId)) return sessionId
  return decodeURIComponent(sessionId.split(':')[2] ?? '')
}

/** Who asks for something, and from where. Authority is judged on these alone. */
export interface Caller {
  readonly sessionId: string
  readonly user: UserKey
  /** Others whose messages have joined the run that asks. */
  readonly others?: readonly UserKey[]
  readonly address: Address
  /** Real path of the folder he works in, where it is not the session's own. */
  readonly folder?: string
}

/** A task for a list that people read. */
export interface TaskLine {
  readonly id: string
  readonly title: string
  readonly stage: 'todo' | 'executing' | 'completed' | 'verified'
  readonly state: 'idle' | 'starting' | 'running' | 'waiting' | 'failed' | 'completed' | 'stopped'
  readonly runs: number
  readonly lastError: string | undefined
}

/** What a person may do to a task with a word. */
export type TaskAction = 'run' | 'stop' | 'resume' | 'pass' | 'fail'

/** Tasks as chat commands see them. Rejects with `workbench.*` errors whose texts are `error.workbench.*`. */
export interface TaskDesk {
  /** Whether there is a task board at all. */
  readonly enabled: boolean
  list(caller: Caller): Promise<readonly TaskLine[]>
  /** `person` is who typed it, as the platform authenticated him; `note` stands in the record of a judgement. */
  act(deed: TaskAction, taskId: string, caller: Caller, person: Sender, note: string): Promise<TaskLine>
}
