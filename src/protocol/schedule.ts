/**
 * Schedules as the rest of the house sees them: the keys of their sessions, what differs in a run
 * that no person asked for just now, and the desk at which commands and tools ask for changes.
 */

import { type Address, chatKey, type UserKey } from './address.ts'
import type { GateDecision } from './engine.ts'
import type { MessageEvent } from './inbound.ts'
import type { BoundCall, ToolContext } from './tool.ts'

const PREFIX = 'schedule:'

/** Session of a schedule's runs. Chats' keys have no colon, so the two never meet. */
export function scheduleSession(scheduleId: string): string {
  return `${PREFIX}${encodeURIComponent(scheduleId)}`
}

/** Session of previews, one per schedule and chat that looks at it. */
export function previewSession(scheduleId: string, asking: Address): string {
  return `${scheduleSession(scheduleId)}:${encodeURIComponent(chatKey(asking))}`
}

/** True for sessions whose runs are started by time: nobody watches them, only the result is shown. */
export function isScheduleSession(sessionId: string): boolean {
  return sessionId.startsWith(PREFIX)
}

/** Where a message of the inbox came from when no person sent it. */
export interface ScheduledOrigin {
  readonly scheduleId: string
  readonly slot: string
  /** Id that the run must have, so that the slot finds it. */
  readonly runId: string
}

/** What holds for one run of a schedule. */
export interface ScheduledPlan {
  /** Whether the creator had this tool at creation (T7); never one that changes schedules. */
  mayUse(tool: string): boolean
  /** How long the outbox keeps trying to deliver the result, milliseconds. */
  readonly deliverWithinMs: number
  /** Lines that the people must read under the answer: late, skipped for want of an approval. */
  notes(): Promise<readonly string[]>
}

/** What the worker and the gate ask about runs that nobody watches. */
export interface ScheduledRuns {
  /** Undefined for runs that belong to no schedule. */
  planOf(sessionId: string, runId: string): Promise<ScheduledPlan | undefined>
  /** What to do with a call that needs a person; undefined: ask now, as in any chat. */
  unattended(bound: BoundCall, ctx: ToolContext): Promise<GateDecision | undefined>
  /** Told of every run that is over. */
  runEnded(sessionId: string): Promise<void>
  /** Told of every message that is closed. */
  mailClosed(sessionId: string): Promise<void>
}

const LATER = 'later:'

/** An approval id that means: nobody is asked before this time; the run sleeps until then. */
export function askLater(until: number): string {
  return `${LATER}${until}`
}

/** The time of {@link askLater}; undefined for ids of approvals. */
export function laterOf(approvalId: string): number | undefined {
  return approvalId.startsWith(LATER) ? Number(approvalId.slice(LATER.length)) : undefined
}

/** Who asks for a change, and where. */
export interface Asker {
  readonly user: UserKey
  readonly name?: string
  readonly address: Address
  /** What the card must answer, where a platform takes cards in groups as answers only. */
  readonly replyTo?: string
  /** Tools that the asker has here: the most that a schedule of his may ever use. */
  readonly tools: readonly string[]
}

/** A schedule in words, for lists. */
export interface ScheduleLine {
  readonly id: string
  readonly name: string
  readonly state: 'active' | 'paused' | 'done'
  /** Localised lines: when, where, what, the next times, why it is paused. */
  readonly lines: readonly string[]
}

/** A change that a person must confirm on a card. Fields as a person writes them; all checked. */
export type ScheduleChange =
  | { readonly action: 'create'; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly action: 'update'; readonly id: string; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly action: 'delete'; readonly id: string }

/** What a person may do at once, with a word. */
export type ScheduleAction = 'pause' | 'resume' | 'run' | 'delete' | 'preview'

/**
 * Everything that changes or shows schedules for somebody. Rejects with `schedule.*` errors whose
 * texts are `error.schedule.*`: `not_found` also for what the asker may not see.
 */
export interface ScheduleDesk {
  list(asker: Asker): Promise<readonly ScheduleLine[]>
  /**
   * Checks a change and sends its card into the asker's chat; nothing is saved before a click.
   * @param once makes a repeated call the same proposal
   * @returns what to tell the asker
   */
  propose(change: ScheduleChange, asker: Asker, once: string): Promise<string>
  /**
   * Decides the change that waits in the asker's chat, where the card's buttons cannot be pressed.
   * Where several wait nothing is decided: the answer lists them for a second try with an id.
   */
  decideWaiting(decision: 'confirm' | 'cancel', event: MessageEvent, scheduleId?: string): Promise<string>
  /** Does it and returns what to tell. `once` makes a repeated call one deed. */
  act(deed: ScheduleAction, id: string, asker: Asker, once: string): Promise<string>
  /** Changes fields of a saved schedule at once; for typed commands, where the person is certain. */
  edit(id: string, fields: Readonly<Record<string, unknown>>, asker: Asker): Promise<string>
  /** The newest slots first, as localised markdown. */
  history(id: string, asker: Asker): Promise<string>
}
