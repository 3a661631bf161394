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
import { AppError, isAppError } from '../protocol/errors.ts'
import type { Clock, Logger, Random } from '../protocol/ports.ts'
import { alone, type Presence } from '../store/presence.ts'
import {
  chatsWithMail,
  claimMail,
  insertOutbox,
  markLost,
  markRetry,
  markSent,
  type NewOutboxRow,
  nextMail,
} from '../store/repositories/outbox.ts'
import type { OutboxRow } from '../store/schema.ts'
import type { Db, Store } from '../store/store.ts'
import { backoffMs } from './backoff.ts'
import { asAppError, type Delivery, deliver, isOutcomeUnknown, isRepeatable, mayRepeat } from './delivery.ts'

export { type Delivery, liveKey } from './delivery.ts'

export interface Outbox {
  /** Queues a message inside the caller's transaction; call {@link Outbox.flush} after the commit. */
  put(db: Db, row: NewOutboxRow): Promise<void>
  /** Begins to send what is queued for the chats of these rows. Never waits for the platform. */
  flush(chatKey: string): void
  /** Resolves when the row with this key is closed, or with undefined after `ms`. */
  closed(key: string, ms: number): Promise<Delivery | undefined>
  /** Takes up what a dead process left and everything still queued. */
  start(): Promise<void>
  /** Sends nothing more; resolves when calls under way are answered, or have been waited for long enough. */
  stop(): Promise<void>
}

/** A chat does not stand still for longer than this, whatever the platform asks for. */
const LONGEST_WAIT_MS = 600_000
/** So often an outcome that the store refuses for good is written again, while the store itself works. */
const MOST_WRITES = 5
/** How long a stop waits for calls under way; what is not answered by then the next start takes up. */
const LAST_CALLS_MS = 15_000
/** How long a row that cannot be written is left alone before it is tried again. */
const ASIDE_MS = 600_000

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

export function createOutbox(deps: OutboxDeps): Outbox {
  const { store, clock, logger } = deps
  const presence = deps.presence ?? alone()
  const sending = new Map<string, Promise<void>>()
  const again = new Set<string>()
  const faults = new Map<string, number>()
  const aside = new Map<number, { readonly until: number; readonly delivery: Delivery }>()
  const waiting = new Map<string, Set<(delivery: Delivery) => void>>()
  const stopping = new AbortController()
  let stopped = false

  /**
   * Writes what came of a claim, as soon as the store takes it: a message must not be sent again, nor its chat
   * stand still, because the disk was full at that moment. Rejects only for a row that the store refuses
   * although it works. False when the row is not ours any more.
   */
  const written = async (write: () => Promise<boolean>): Promise<boolean> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await write()
      } catch (error) {
        logger.error({ error, attempt }, 'the outcome of a message could not be written; will try again')
        const isForGood = !(isAppError(error) && error.retryable) && attempt >= MOST_WRITES
        if (stopping.signal.aborted || (isForGood && (await works(store)))) throw error
        await clock.sleep(backoffMs(attempt, deps.random), stopping.signal)
      }
    }
  }

  const close = async (row: OutboxRow, delivery: Delivery): Promise<void> => {
    try {
      const isMine = await written(() =>
        delivery.state === 'sent'
          ? markSent(store.db, row, delivery.sent, clock.now())
          : markLost(store.db, row, delivery.state, describe(delivery.error)),
      )
      aside.delete(row.id)
      if (!isMine) {
        logger.warn({ key: row.key }, 'another process took this message over; what came of it stands there')
        return
      }
    } catch (error) {
      if (stopping.signal.aborted) throw error
      aside.set(row.id, { until: clock.now() + ASIDE_MS, delivery })
      logger.error(
        { ref: row.ref, key: row.key, chat: row.chat_key, state: delivery.state, error },
        'a message is set aside, because its row cannot be written; the chat goes on without it',
      )
    }
    for (const tell of waiting.get(row.key) ?? []) tell(delivery)
    waiting.delete(row.key)
    await deps
      .onClosed(row, delivery)
      .catch((error: unknown) => logger.error({ key: row.key, error }, 'a closed message was not passed on'))
  }

  /** Tries one row that is claimed; returns how long the chat must wait before the next try, or 0 to go on. */
  const attempt = async (row: OutboxRow): Promise<number> => {
    const outcome = await deliver(deps, row).then((sent): Delivery => ({ state: 'sent', sent }), asAppError)
    if (!(outcome instanceof AppError)) {
      await close(row, outcome)
      return 0
    }
    const now = clock.now()
    const isUnknown = isOutcomeUnknown(outcome)
    if ((outcome.retryable || (isUnknown && isRepeatable(row))) && now < row.deadline) {
      const wait = Math.min(LONGEST_WAIT_MS, outcome.retryAfterMs ?? backoffMs(row.attempts, deps.random))
      logger.warn(
        { ref: row.ref, key: row.key, attempts: row.attempts, wait, error: outcome },
        'sending failed; will try again',
      )
      return retry(row, wait, outcome)
    }
    const state = isUnknown ? 'unknown' : 'failed'
    logger.error({ ref: row.ref, key: row.key, error: outcome }, 'a message could not be delivered')
    await close(row, { state, error: outcome })
    return 0
  }

  const retry = async (row: OutboxRow, wait: number, error: AppError): Promise<number> => {
    try {
      await written(() => markRetry(store.db, row, clock.now() + wait, describe(error)))
      return wait
    } catch (cause) {
      if (stopping.signal.aborted) throw cause
      await close(row, { state: 'failed', error })
      return 0
    }
  }

  /** A row in state `sending` that nobody is sending: repeated where that is safe, else its outcome is unknown. */
  const takeUp = async (row: OutboxRow): Promise<void> => {
    const known = aside.get(row.id)
    if (known) return close(row, known.delivery)
    const repeatable = await mayRepeat(deps, row).catch((error: unknown) => {
      if (isAppError(error, 'outbox.unreadable')) return false
      throw error
    })
    if (repeatable) {
      const error = { code: 'outbox.interrupted', message: 'the service stopped while sending' }
      await markRetry(store.db, row, clock.now(), error)
      return
    }
    await close(row, {
      state: 'unknown',
      error: new AppError(
        'outbox.outcome_unknown',
        'the service stopped while sending; the message may have arrived',
        { hint: 'Look into the chat before sending it again.' },
      ),
    })
  }

  /** The chat's next row, one step further; undefined when there is nothing to do, else the wait before the next. */
  const step = async (chat: string): Promise<number | undefined> => {
    const left = [...aside].filter(([, { until }]) => until > clock.now()).map(([id]) => id)
    const row = await nextMail(store.db, chat, left)
    if (!row) return undefined
    if (row.state === 'sending') {
      if (await presence.isElsewhere(row.owner)) return undefined
      await takeUp(row)
      return 0
    }
    const early = row.next_at - clock.now()
    // Further away than any wait, the time was written before somebody set the clock back.
    if (early > 0 && early <= LONGEST_WAIT_MS) return early
    const claimed = await claimMail(store.db, row.id, presence.owner)
    return claimed && attempt(claimed)
  }

  const drainChat = async (chat: string): Promise<void> => {
    while (!stopped) {
      const wait = await step(chat)
      faults.delete(chat)
      if (wait === undefined) return
      if (wait > 0) {
        clock.after(wait, () => flush(chat))
        return
      }
    }
  }

  const flush = (chat: string): void => {
    if (stopped) return
    if (sending.has(chat)) {
      again.add(chat)
      return
    }
    const work = drainChat(chat)
      .catch((error: unknown) => {
        if (stopped) return
        const count = (faults.get(chat) ?? 0) + 1
        faults.set(chat, count)
        const wait = backoffMs(count, deps.random)
        logger.error({ chat, wait, error }, 'the outbox of a chat is in trouble; it goes on soon')
        clock.after(wait, () => flush(chat))
      })
      .finally(() => {
        sending.delete(chat)
        if (again.delete(chat)) flush(chat)
      })
    sending.set(chat, work)
  }

  return {
    put: (db, row) => insertOutbox(db, row, clock.now()),
    flush,
    closed: (key, ms) =>
      new Promise((resolve) => {
        const listeners = waiting.get(key) ?? new Set()
        waiting.set(key, listeners)
        const cancel = clock.after(ms, () => {
          listeners.delete(tell)
          if (listeners.size === 0 && waiting.get(key) === listeners) waiting.delete(key)
          resolve(undefined)
        })
        const tell = (delivery: Delivery): void => {
          cancel()
          resolve(delivery)
        }
        listeners.add(tell)
      }),
    start: async () => {
      for (const chat of await chatsWithMail(store.db)) flush(chat)
    },
    stop: async () => {
      stopped = true
      stopping.abort(new Error('the outbox has stopped'))
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const cancel = clock.after(LAST_CALLS_MS, resolve)
      await Promise.race([Promise.all(sending.values()), late])
      cancel()
    },
  }
}

/** True when the error says that the chat itself can no longer be reached. */
export function isChatGone(error: AppError): boolean {
  return /\.(chat_gone|bot_not_in_chat|robot_gone)$/.test(error.code)
}

/** Whether the store takes writes at all: then a row that cannot be written is at fault itself. */
async function works(store: Store): Promise<boolean> {
  return store.probe().then(
    () => true,
    () => false,
  )
}

function describe(error: AppError): { code: string; message: string; hint: string } {
  return { code: error.code, message: error.message, hint: error.hint }
}
