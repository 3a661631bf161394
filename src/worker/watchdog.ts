/** Ends a run that makes no progress: a person must never be left looking at "thinking". */
import type { AgentEvent } from '../protocol/engine.ts'
import { AppError } from '../protocol/errors.ts'
import type { Clock } from '../protocol/ports.ts'

export interface Watchdog {
  /** Every event of the engine is progress. */
  saw(event: AgentEvent): void
  stop(): void
}

export interface WatchdogLimits {
  /** Longest silence while a model is asked. Its own watchdog is shorter; this one catches the rest. */
  readonly modelMs: number
  /** Longest silence while a tool runs; above every tool's own timeout. */
  readonly toolMs: number
  /** Longest run between two approvals. */
  readonly runMs: number
}

/** Watches one run from now on; calls `onStuck` with `run.stuck` or `run.too_long`. */
export function createWatchdog(
  clock: Clock,
  limits: WatchdogLimits,
  onStuck: (error: AppError) => void,
): Watchdog {
  let tools = 0
  let cancel = (): void => {}
  const arm = (): void => {
    cancel()
    const ms = tools > 0 ? limits.toolMs : limits.modelMs
    cancel = clock.after(ms, () =>
      onStuck(
        new AppError('run.stuck', `nothing happened for ${Math.round(ms / 1_000)} s`, {
          params: { seconds: Math.round(ms / 1_000) },
        }),
      ),
    )
  }
  const cancelRun = clock.after(limits.runMs, () =>
    onStuck(
      new AppError('run.too_long', `the run took more than ${Math.round(limits.runMs / 60_000)} min`, {
        params: { minutes: Math.round(limits.runMs / 60_000) },
      }),
    ),
  )
  arm()
  return {
    saw: (event) => {
      if (event.type === 'tool_started') tools++
      if (event.type === 'tool_ended') tools = Math.max(0, tools - 1)
      arm()
    },
    stop: () => {
      cancel()
      cancelRun()
    },
  }
}
