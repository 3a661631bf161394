/**
 * Whether this process can still do anything in time: how long one piece of work held the event loop,
 * and how long a job waits for Node's thread pool, which four stuck reads are enough to fill.
 */
import { stat } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { withinGrace } from '../protocol/grace.ts'
import type { Clock } from '../protocol/ports.ts'

const RESOLUTION_MS = 100
const WINDOW_MS = 10_000
/** Longer than this is not waited for: it is bad enough. */
const MOST_POOL_MS = 2_000

/** What is read of Node's histogram; nanoseconds. */
export interface DelayHistogram {
  readonly max: number
  reset(): void
}

export interface PulseDeps {
  readonly clock: Clock
  /** Default: Node's own, begun here. */
  readonly histogram?: DelayHistogram
  /** A job for the thread pool that is over at once when a thread is free. */
  readonly errand?: () => Promise<unknown>
}

export interface Pulse {
  /** Longest hold of the loop within the last ten to twenty seconds, milliseconds. */
  loopMs(): number
  /** Forgets what was measured: the start itself holds the loop, and is no sign of anything. */
  forget(): void
  /** How long an errand waits for a thread now, milliseconds; 2,000 stands for longer. */
  poolMs(): Promise<number>
}

export function createPulse({ clock, ...given }: PulseDeps): Pulse {
  const histogram = given.histogram ?? startHistogram()
  const errand = given.errand ?? (() => stat('/'))
  let before = 0
  const now = (): number => Math.max(0, histogram.max / 1e6 - RESOLUTION_MS)
  // Two windows, so that a hold is seen for a while also when it fell on the end of one.
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
      await withinGrace(errand(), { ms: MOST_POOL_MS, clock })
      return clock.monotonic() - started
    },
  }
}

function startHistogram(): DelayHistogram {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  return histogram
}
