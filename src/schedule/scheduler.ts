/**
 * One timer for any number of schedules. It is set to the next time that the index names; it looks at
 * the wall clock again at least once a minute, because clocks jump, machines sleep, and another
 * process may have saved something earlier. It knows times and rows, never what a schedule is about.
 */
import { schedulesWithOpenSlots } from '../store/repositories/schedule-slots.ts'
import { nextDueAt } from '../store/repositories/schedules.ts'
import type { ScheduleDeps } from './deps.ts'
import type { Runner } from './runner.ts'
import { expireProposals } from './settled-proposal.ts'
import { claimDue } from './slot-claim.ts'

export interface Scheduler {
  /** Takes what is due or was left open, and sets the timer. */
  start(): Promise<void>
  /** Recalculates the timer after a schedule was saved or changed. */
  poke(): void
  /** Resolves when nothing is being fired any more. */
  stop(): Promise<void>
}

/** Longest wait between two looks at the clock. */
const LONGEST_WAIT_MS = 60_000
/** Pause before a failed database query is repeated, milliseconds. */
const RETRY_MS = 5_000

/** @param longestWaitMs longest time between two looks at the wall clock */
export function createScheduler(
  deps: ScheduleDeps,
  runner: Runner,
  longestWaitMs: number = LONGEST_WAIT_MS,
): Scheduler {
  let cancel: (() => void) | undefined
  let firing: Promise<void> | undefined
  let again = false
  let stopped = true
  let settledAt = Number.NEGATIVE_INFINITY

  const arm = (ms: number): void => {
    cancel?.()
    if (!stopped) cancel = deps.clock.after(ms, fire)
  }

  /** What was missed while a process was dead, or told to another one, and what nobody confirmed in time. */
  const settleOpen = async (): Promise<void> => {
    if (deps.clock.monotonic() - settledAt < longestWaitMs) return
    settledAt = deps.clock.monotonic()
    for (const id of await schedulesWithOpenSlots(deps.store.db)) await advance(id)
    await expireProposals(deps)
  }

  /** One schedule that cannot be taken further must not keep those behind it. */
  const advance = (id: string): Promise<void> =>
    runner
      .advance(id)
      .catch((error: unknown) =>
        deps.logger.error({ schedule: id, error }, 'a schedule could not be advanced; it is tried again'),
      )

  const round = async (): Promise<number> => {
    let more = true
    while (more && !stopped) {
      const claimed = await claimDue(deps)
      for (const session of claimed.replaced) {
        deps.interrupt(session)
        await deps.queue.wake(session)
      }
      for (const id of claimed.ids) await advance(id)
      more = claimed.more
    }
    await settleOpen()
    const next = await nextDueAt(deps.store.db)
    return next === undefined ? longestWaitMs : Math.min(longestWaitMs, Math.max(0, next - deps.clock.now()))
  }

  const fire = (): void => {
    if (firing) {
      again = true
      return
    }
    firing = round()
      .catch((error: unknown) => {
        deps.logger.error({ error }, 'schedules could not be looked at; they are tried again soon')
        return RETRY_MS
      })
      .then((wait) => {
        firing = undefined
        arm(again ? 0 : wait)
        again = false
      })
  }

  return {
    start: async () => {
      stopped = false
      fire()
      await firing
    },
    poke: () => {
      if (!stopped) fire()
    },
    stop: async () => {
      stopped = true
      cancel?.()
      await firing
      await runner.drain()
    },
  }
}
