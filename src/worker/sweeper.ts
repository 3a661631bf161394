/**
 * Periodic repairs: wakes sessions with waiting work or a run that was cut off, expires approvals, flushes messages
 * that no process is sending, and prunes old rows. Every step is safe to repeat, and an error in one step does not
 * keep the others from running.
 */
import type { Approvals } from '../approval/approvals.ts'
import type { Outbox } from '../outbound/outbox.ts'
import type { Clock, Logger } from '../protocol/ports.ts'
import type { Queue } from '../queue/queue.ts'
import { pruneInbox, sessionsWithWork } from '../store/repositories/inbox.ts'
import { chatsWithMail } from '../store/repositories/outbox.ts'
import { sessionsReadyToResume } from '../store/repositories/runs.ts'
import { sessionsCutOff } from '../store/repositories/sessions.ts'
import type { Store } from '../store/store.ts'

/** Every process has one: what two do at once is done once, by the rows. */
export interface Sweeper {
  /** One round now; the first one is part of the start. */
  sweep(): Promise<void>
  start(): void
  stop(): void
}

const ROUND_MS = 10_000
/** A command that is not answered by then has failed; none takes this long. */
export const COMMAND_MS = 60_000
/** Above the longest redelivery ladder of any platform, so that a late copy is still recognised. */
const DEDUPE_KEPT_MS = 7 * 24 * 3_600_000
const PRUNE_EVERY_ROUNDS = 360

interface SweeperDeps {
  store: Store
  queue: Queue
  outbox: Outbox
  approvals: Approvals
  /** Carries out commands that were acknowledged this long ago, milliseconds, and never answered. */
  recoverCommands: (ageMs: number) => Promise<void>
  /** Wipes the files of chats that are gone; about once an hour. */
  wipe: () => Promise<void>
  clock: Clock
  logger: Logger
}

/** The sweeper of one process; several processes may sweep the same store. */
export function createSweeper(deps: SweeperDeps): Sweeper {
  const { store, clock } = deps
  let cancel: (() => void) | undefined
  let rounds = 0
  const parts = partsOf(deps, () => rounds % PRUNE_EVERY_ROUNDS === 0)

  const sweep = async (): Promise<void> => {
    for (const [part, work] of parts) {
      try {
        await work()
      } catch (error) {
        deps.logger.error({ part, error }, 'a part of the sweeper failed; the next round tries it again')
      }
    }
    rounds++
  }

  const round = (): void => {
    cancel = clock.after(ROUND_MS, () => {
      // A disk that was full is noticed, and its reserve laid again, although nobody asks for readiness.
      store
        .probe()
        .then(sweep)
        .catch((error: unknown) =>
          deps.logger.error({ error }, 'the sweeper could not finish its round; the next one tries again'),
        )
        .finally(() => cancel && round())
    })
  }
  return {
    sweep,
    start: round,
    stop: () => {
      cancel?.()
      cancel = undefined
    },
  }
}

/** What a round repairs, in this order, by the names that the log gives. */
function partsOf(
  deps: SweeperDeps,
  isHour: () => boolean,
): readonly (readonly [string, () => Promise<unknown>])[] {
  const { store, clock } = deps
  const wakeSessions = async (): Promise<void> => {
    const sessions = new Set([
      ...(await sessionsWithWork(store.db)),
      ...(await sessionsCutOff(store.db, clock.now())),
      ...(await sessionsReadyToResume(store.db, clock.now())),
    ])
    for (const sessionId of sessions) await deps.queue.wake(sessionId)
  }
  const flushChats = async (): Promise<void> => {
    for (const chat of await chatsWithMail(store.db)) deps.outbox.flush(chat)
  }
  const hourly = (work: () => Promise<void>) => async (): Promise<void> => {
    if (isHour()) await work()
  }
  return [
    ['approvals', deps.approvals.expireDue],
    ['sessions', wakeSessions],
    ['commands', () => deps.recoverCommands(COMMAND_MS)],
    ['messages', flushChats],
    ['old events', hourly(() => pruneInbox(store.db, clock.now() - DEDUPE_KEPT_MS))],
    ['old files', hourly(deps.wipe)],
  ]
}
