/**
 * Measures whether this process can still react in time: how long the event loop was blocked, and how long a job
 * waits for Node's thread pool, which has only four threads and can be exhausted by stuck reads.
 */
import { stat } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Clock } from '../protocol/ports.ts'
import { withTimeout } from '../protocol/timeout.ts'

const RESOLUTION_MS = 100
const WINDOW_MS = 10_000
/** Longest measured wait for a thread, milliseconds. */
const MOST_POOL_MS = 2_000

/** What is read of Node's histogram; nanoseconds. */
export interface DelayHistogram {
  readonly max: number
  reset(): void
}

export interface StallMonitorDeps {
  readonly clock: Clock
  /** Default: Node's own, begun here. */
  readonly histogram?: DelayHistogram
  /** A thread-pool job that completes at once when a thread is free. Default: `stat('/')`. */
  readonly probe?: () => Promise<unknown>
}

/** Figures of this process alone. */
export interface StallMonitor {
  /** Longest time that the loop was blocked within the last 10 to 20 seconds, milliseconds. */
  loopMs(): number
  /** Resets the measurements; called after the start, which blocks the loop itself. */
  forget(): void
  /** How long a job waits for a thread now, milliseconds; at most 2,000. */
  poolMs(): Promise<number>
}

/** Starts measuring at once; its timer never keeps the process alive. */
export function createStallMonitor({ clock, ...given }: StallMonitorDeps): StallMonitor {
  const histogram = given.histogram ?? startHistogram()
  const probe = given.probe ?? (() => stat('/'))
  let before = 0
  const now = (): number => Math.max(0, histogram.max / 1e6 - RESOLUTION_MS)
  // Two windows, so that a block at the end of one window stays visible for at least a whole window.
  const turn = (): void => {
    before = now()
    histogram.reset()
    clock.after(WINDOW_MS, turn)
  }
  clock.after(WINDOW_MS, turn)
  return {
    loopMs: () => Math.max(before, now()),
    forget: () => {
      before = 0
      histogram.reset()
    },
    poolMs: async () => {
      const started = clock.monotonic()
      await withTimeout(probe(), { ms: MOST_POOL_MS, clock })
      return clock.monotonic() - started
    },
  }
}

function startHistogram(): DelayHistogram {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  return histogram
}
