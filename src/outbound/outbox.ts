/**
 * The only way out. A message is a row before it is a call: rows of one chat leave in order, one at a
 * time, with an idempotency key, and are closed by the platform's own answer. It knows rows, adapters,
 * error classes and which process holds a row; it refuses to know what a message is about.
 *
 * A chat never stands still for good: a row that another process took and died with is taken up again, a
 * store that is in trouble is tried again, and a row that cannot be written any more is set aside, said
 * so, and the next one goes on.
 */

import type { Adapter } from '../protocol/adapter.ts'
import { AppError } from '../protocol/errors.ts'
import type { Clock, Logger, Random } from '../protocol/ports.ts'
import { TIMED_OUT, withTimeout } from '../protocol/timeout.ts'
import { alone, type Presence } from '../store/presence.ts'
import { chatsWithMail, insertOutbox, type NewOutboxRow } from '../store/repositories/outbox.ts'
import type { OutboxRow } from '../store/schema.ts'
import type { Db, Store } from '../store/store.ts'
import { createChatLoops } from './chat-loops.ts'
import { createChatSender } from './chat-sender.ts'
import type { Delivery } from './delivery.ts'
import { createDeliveryWaiters } from './delivery-waiters.ts'
import { createOutcomeWriter } from './outcome-writer.ts'

export { type Delivery, liveKey } from './delivery.ts'

/** Keeps the order of a chat across crashes and processes; every row is closed, if only as unknown. */
export interface Outbox {
  /** Queues a message inside the caller's transaction; call {@link Outbox.flush} after the commit. */
  put(db: Db, row: NewOutboxRow): Promise<void>
  /** Begins to send what is queued for the chats of these rows. Never waits for the platform. */
  flush(chatKey: string): void
  /** Resolves when the row with this key is closed, or with undefined after `ms`. */
  closed(key: string, ms: number): Promise<Delivery | undefined>
  /** Takes up what a dead process left and everything still queued. */
  start(): Promise<void>
  /**
   * Sends nothing more; resolves when calls under way are answered, or have been waited for `ms`. Calls that
   * still wait for their turn are given back then, as never begun; what is on the wire the next start takes up.
   */
  stop(ms?: number): Promise<void>
}

const LAST_CALLS_MS = 15_000
/** How long giving back may take: one write each. */
const GIVE_BACK_MS = 500

export interface OutboxDeps {
  readonly store: Store
  readonly adapter: (botId: string) => Adapter | undefined
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** Told of every closed row: audit, metrics, people. What it throws is logged and changes nothing. */
  readonly onClosed: (row: OutboxRow, delivery: Delivery) => Promise<void>
  /** Which processes share the store; absent: this one is alone. */
  readonly presence?: Presence
}

/** The outbox of this process; sends nothing before `start` or `flush`. */
export function createOutbox(deps: OutboxDeps): Outbox {
  const { store, clock, logger } = deps
  const stopping = new AbortController()
  const leaving = new AbortController()
  const waiters = createDeliveryWaiters(clock)
  const tell = async (row: OutboxRow, delivery: Delivery): Promise<void> => {
    waiters.tell(row.key, delivery)
    await deps
      .onClosed(row, delivery)
      .catch((error: unknown) => logger.error({ key: row.key, error }, 'a closed message was not passed on'))
  }
  const outcomes = createOutcomeWriter(deps, stopping.signal, tell)
  const sender = createChatSender({ ...deps, leaving: leaving.signal }, deps.presence ?? alone(), outcomes)
  const loops = createChatLoops(deps, stopping.signal, sender)
  return {
    put: (db, row) => insertOutbox(db, row, clock.now()),
    flush: loops.begin,
    closed: waiters.closed,
    start: async () => {
      for (const chat of await chatsWithMail(store.db)) loops.begin(chat)
    },
    stop: async (ms = LAST_CALLS_MS) => {
      stopping.abort(new Error('the outbox has stopped'))
      if ((await withTimeout(loops.ended(), { ms, clock })) !== TIMED_OUT) return
      leaving.abort(stoppedBefore())
      await withTimeout(loops.ended(), { ms: GIVE_BACK_MS, clock })
    },
  }
}

/** The end of a call that has not begun: nothing was sent, and the next start sends it. */
function stoppedBefore(): AppError {
  return new AppError('outbox.stopped', 'the service stopped before the message had its turn', {
    hint: 'Nothing needs to be done: it is sent after the next start.',
    retryable: true,
  })
}

/** True when the error says that the chat itself can no longer be reached. */
export function isChatGone(error: AppError): boolean {
  return /\.(chat_gone|bot_not_in_chat|robot_gone)$/.test(error.code)
}
