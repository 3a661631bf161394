/** One run of the direct engine: what its parts share. */
import type { AgentHost } from '../../protocol/agent-host.ts'
import type { AgentEvent, EngineDeps } from '../../protocol/engine.ts'
import { type AppError, isAppError } from '../../protocol/errors.ts'
import type { LogEntry, SessionView } from '../../protocol/session-log.ts'
import type { ToolContext } from '../../protocol/tool.ts'
import type { ProjectionMemo } from '../../session/projection.ts'
import type { ToolRegistry } from '../../tools/registry.ts'
import { createMeter, type Meter } from './meter.ts'

/** What was already worked out about entries. Entries never change, so it holds from run to run. */
export interface Memo {
  readonly messages: ProjectionMemo
  readonly sizes: WeakMap<LogEntry, number>
}

export const emptyMemo = (): Memo => ({ messages: new WeakMap(), sizes: new WeakMap() })

export interface Run {
  readonly session: SessionView
  readonly deps: EngineDeps
  readonly tools: ToolRegistry
  readonly meter: Meter
  readonly memo: Memo
  /** Text of the turn that is being streamed; empty between turns. Kept when the run is stopped. */
  partial: string
  /** Aborts with the person's stop or with the run's time limit. */
  readonly signal: AbortSignal
  /** True when the service itself stops: the run goes on later, from the log as it is. */
  paused(): boolean
  /** Why the run was stopped, for the model. */
  stopReason(): string
  /** True when the time limit, not a person, aborted. */
  timedOut(): boolean
  emit(event: AgentEvent): Promise<void>
  /** The helpers that a call may start; none inside a helper. */
  readonly hostFor?: ((ctx: ToolContext) => AgentHost) | undefined
  close(): void
}

/** Starts the run's clock. The time limit counts this stretch of work, not the wait for approvals. */
export function startRun(
  session: SessionView,
  deps: EngineDeps,
  tools: ToolRegistry,
  stop: AbortSignal,
  emit: (event: AgentEvent) => Promise<void>,
  { memo = emptyMemo(), hostOf }: { memo?: Memo; hostOf?: (run: Run, ctx: ToolContext) => AgentHost } = {},
): Run {
  const limit = new AbortController()
  const cancel = deps.clock.after(deps.budget.maxMs, () =>
    limit.abort(new Error('the time limit of the run')),
  )
  const run: Run = {
    session,
    deps,
    tools,
    meter: createMeter(session.entries(), session.runId),
    signal: AbortSignal.any([stop, limit.signal]),
    memo,
    partial: '',
    paused: () => isAppError(stop.reason, 'worker.stopping'),
    stopReason: () => (isWatchdog(stop.reason) ? stop.reason.message : 'stopped by a person'),
    timedOut: () => limit.signal.aborted && !stop.aborted,
    emit,
    hostFor: hostOf && ((ctx) => hostOf(run, ctx)),
    close: cancel,
  }
  return run
}

/** Stops that no person asked for. */
function isWatchdog(reason: unknown): reason is AppError {
  return isAppError(reason, 'run.stuck') || isAppError(reason, 'run.too_long')
}
