/** Agents that a tool starts: helpers with a context of their own, over the run's model. */
import type { LogEntry, RunOutcome } from './session-log.ts'

/** The part of a run that tools use to start helpers. */
export interface AgentHost {
  /** The conversation so far, without the calls that are open. */
  history(): readonly LogEntry[]
  /**
   * Runs a helper to its end. It has read-only tools, no helpers of its own and nobody's authority to
   * be asked: what needs an approval is refused to it. What it uses is counted to the run. Resolves
   * with `failed` for a model that cannot be asked and for its limits; rejects only with the signal.
   */
  run(task: AgentTask, signal: AbortSignal): Promise<AgentOutcome>
}

/** What a helper is asked to do. */
export interface AgentTask {
  /** Who the helper is; may be empty. */
  readonly role: string
  /** What it knows of earlier talk. */
  readonly history: readonly LogEntry[]
  readonly prompt: string
  readonly maxSteps: number
  readonly maxMs: number
}

/** How a helper ended. */
export interface AgentOutcome {
  readonly outcome: RunOutcome
  /** Its answer; what it had said last, when it failed. */
  readonly text: string
  /** Why it failed, for people; empty otherwise. */
  readonly failure: string
  /** Names of the tools it used, in order. */
  readonly tools: readonly string[]
  /** True when it read words of people outside the chat. */
  readonly foreign: boolean
}
