/** An engine turns a session with waiting work into events. It knows no platform. */
import type { Model } from './model.ts'
import type { Todo } from './outbound.ts'
import type { Clock, Logger, Random, Translate } from './ports.ts'
import type { RunOutcome, SessionView, StoredEntry } from './session-log.ts'
import type { AnyTool, BoundCall, ToolContext } from './tool.ts'
import type { CallDiscipline } from './tool-calls.ts'

/** What an engine reports while it runs, in order. */
export type AgentEvent =
  /** A new model turn begins; text deltas of the turn follow. */
  | { readonly type: 'turn'; readonly step: number }
  | { readonly type: 'text'; readonly delta: string }
  | {
      readonly type: 'tool_started'
      readonly callId: string
      readonly tool: string
      readonly title: string
    }
  | {
      readonly type: 'tool_ended'
      readonly callId: string
      readonly status: 'ok' | 'failed' | 'denied'
      readonly ms: number
    }
  | { readonly type: 'todos'; readonly todos: readonly Todo[] }
  /** Something the person should know now: a retry, a compaction. Localised. */
  | { readonly type: 'status'; readonly text: string }
  | {
      readonly type: 'usage'
      readonly model: string
      readonly inputTokens: number
      readonly outputTokens: number
      readonly cachedTokens: number
      readonly cost: number | undefined
      readonly currency: string | undefined
    }
  /** The run waits for a person; it ends here and goes on, later and elsewhere, from the log. */
  | {
      readonly type: 'suspended'
      readonly callId: string
      readonly tool: string
      readonly title: string
      readonly approvalId: string
    }
  /** The last event of a run that is over. `text` is the whole final answer, markdown. */
  | {
      readonly type: 'ended'
      readonly outcome: RunOutcome
      readonly text: string
      readonly reason?: string
    }

/** The decision about one exact call. */
export type GateDecision =
  | { readonly effect: 'allow'; readonly approvalId?: string }
  /** `reason` is read by the model. */
  | { readonly effect: 'deny'; readonly reason: string; readonly hint: string }
  | { readonly effect: 'ask'; readonly approvalId: string }

/** Policy and approvals, seen by the engine as one gate. Implemented in `approval/gate`. */
export interface Gate {
  /**
   * Judges a call. Idempotent by session and call id: a call that already has an approval row gets
   * that row's state (pending → ask, approved → allow with its id, anything else → deny with why).
   * The digest of the call is compared with the row's; a difference makes a new row and a new card.
   * `helper`: the log of a helper whose call it is; then nobody is asked, what would ask is denied.
   */
  judge(
    tool: AnyTool,
    bound: BoundCall,
    ctx: ToolContext,
    helper?: readonly StoredEntry[],
  ): Promise<GateDecision>
  /**
   * Just before the call starts, in one transaction: consumes the approval (`approved → consumed`)
   * if there is one, and appends the intent entry. False when the approval is no longer usable.
   */
  begin(bound: BoundCall, ctx: ToolContext, approvalId: string | undefined): Promise<boolean>
}

/** Limits of one run: model requests, tokens, milliseconds of work (waiting for approvals is not counted). */
export interface Budget {
  readonly maxSteps: number
  readonly maxTokens: number
  readonly maxMs: number
  /** The limit of the day that is used up, looked at before every request; absent: there is none. */
  readonly usedUp?: () => DayLimit | undefined
}

/** Tokens of one chat, or of the whole service, since midnight. */
export interface DayLimit {
  readonly name: 'chat_day' | 'day'
  readonly tokens: number
}

/** Everything that one run of an engine is given. */
export interface EngineDeps {
  readonly model: Model
  readonly tools: readonly AnyTool[]
  readonly gate: Gate
  /** Context for one call; the engine adds only the helpers that the call may start. */
  toolContext(callId: string): ToolContext
  /** Text that precedes everything: who the bot is, the chat, the rules. Stable within a session. */
  readonly system: string
  readonly budget: Budget
  /** The person asked for the conversation to be summed up before the next model request. */
  readonly compactFirst?: boolean
  /** What holds for every call; absent in engines that tests build. */
  readonly discipline?: CallDiscipline
  readonly text: Translate
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
}

/** Runs sessions. */
export interface Engine {
  readonly name: string
  /**
   * Runs until the session waits or is done. Yields `suspended` or `ended` last, exactly once, and
   * does not throw except for `session.lease_lost` and bugs. An abort ends it with outcome `stopped`
   * and a legal log: every tool call has a result.
   */
  run(session: SessionView, deps: EngineDeps, signal: AbortSignal): AsyncIterable<AgentEvent>
}
