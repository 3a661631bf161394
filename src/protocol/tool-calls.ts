/** What is known about tool calls that are over: one at a time, and in sum. */
import type { Address, UserKey } from './address.ts'
import type { ToolError } from './tool.ts'

/** One call that is over. */
export interface CallReport {
  /** `unknown` when the model made the name up. */
  readonly tool: string
  readonly callId: string
  /** Arguments as the model wrote them. */
  readonly args: string
  readonly status: 'ok' | 'failed' | 'denied'
  readonly error?: ToolError
  readonly ms: number
  /** Characters of the whole result, before it was cut for the model. */
  readonly characters: number
  readonly sessionId: string
  readonly runId: string
  readonly address: Address
  readonly requester: UserKey
}

/** What holds for every call of every tool, whoever carries it out. */
export interface CallDiscipline {
  /** Takes known secrets out of what the model and the chat get to see. */
  redact(text: string): string
  /** Told once of every call that is over. Must not throw and must not wait. */
  report(call: CallReport): void
}

/** Counts and durations of calls that have something in common. */
export interface CallFigures {
  /** Tool, chat key or user key. */
  readonly name: string
  /** Stands for a chat or a person at /metrics, where no ids are shown; another one after each start. */
  readonly code?: string
  readonly count: number
  readonly failures: number
  readonly denied: number
  /** Of the newest calls, milliseconds. */
  readonly p50Ms: number
  readonly p95Ms: number
}

/** Since this process started; each list begins with the most called. */
export interface CallStatistics {
  readonly total: CallFigures
  readonly tools: readonly CallFigures[]
  /** Empty when the statistics are those of one chat. */
  readonly chats: readonly CallFigures[]
  readonly people: readonly CallFigures[]
}
