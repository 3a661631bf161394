/**
 * The only way out. A message is a row before it is a call: rows of one chat leave in order, one at a
 * time, with an idempotency key, and are closed by the platform's own answer. It knows rows,
 * adapters and error classes; it refuses to know what a message is about.
 */

import type { Adapter } from '../protocol/adapter.ts'
import type { Address } from '../protocol/address.ts'
import { AppError, isAppError } from '../protocol/errors.ts'
import type { SentMessage } from '../protocol/outbound.ts'
import type { Clock, Logger, Random } from '../protocol/ports.ts'
import {
  chatsWithMail,
  claimMail,
  insertOutbox,
  interruptedMail,
  markLost,
  markPrepared,
  markRetry,
  markSent,
  type NewOutboxRow,
  nextMail,
  type OutboxPayload,
} from '../store/repositories/outbox.ts'
import { findRun, parseLive } from '../store/repositories/runs.ts'
import type { OutboxRow } from '../store/schema.ts'
import type { Db, Store } from '../store/store.ts'
import { backoffMs } from './backoff.ts'
import { sendOrSay } from './spoken-card.ts'

export type Delivery =
  | { readonly state: 'sent'; readonly sent: SentMessage }
  | { readonly state: 'failed' | 'unknown'; readonly error: AppError }

export interface Outbox {
  /** Queues a message inside the caller's transaction; call {@link Outbox.flush} after the commit. */
  put(db: Db, row: NewOutboxRow): Promise<void>
  /** Begins to send what is queued for the chats of these rows. Never waits for the platform. */
  flush(chatKey: string): void
  /** Resolves when the row with this key is closed, or with undefined after `ms`. */
  closed(key: string, ms: number): Promise<Delivery | undefined>
  /** Takes up what a dead process left and everything still queued. */
  start(): Promise<void>
  /** Sends nothing more; resolves when calls under way are answered. */
  stop(): Promise<void>
}

/** A chat does not stand still for longer than this, whatever the platform asks for. */
const LONGEST_WAIT_MS = 600_000
/** Tries after which a repeatable message is given up as unknown too. */
const MOST_REPEATS = 3

export interface OutboxDeps {
  readonly store: Store
  readonly adapter: (botId: string) => Adapter | undefined
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** Told of every closed row: audit, metrics, a chat that is gone. Must not throw. */
  readonly onClosed: (row: OutboxRow, delivery: Delivery) => Promise<void>
}

export function createOutbox(deps: OutboxDeps): Outbox {
  const { store, clock, logger } = deps
  const sending = new Map<string, Promise<void>>()
  const waiting = new Map<string, Set<(delivery: Delivery) => void>>()
  const stopping = new AbortController()
  let stopped = false

  const close = async (row: OutboxRow, delivery: Delivery): Promise<void> => {
    await written(() =>
      delivery.state === 'sent'
        ? markSent(store.db, row.id, delivery.sent, clock.now())
        : markLost(store.db, row.id, delivery.state, describe(delivery.error)),
    )
    for (const tell of waiting.get(row.key) ?? []) tell(delivery)
    waiting.delete(row.key)
    await deps.onClosed(row, delivery)
  }

  /**
   * Writes what the platform has answered, as soon as the store takes it: a message must not be sent
   * again, nor its chat stand still, because the disk was full at that moment.
   */
  const written = async (write: () => Promise<void>): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await write()
      } catch (error) {
        if (!isAppError(error) || !error.retryable) throw error
        logger.error({ error, attempt }, 'the outcome of a message could not be written; will try again')
        await clock.sleep(backoffMs(attempt, deps.random), stopping.signal)
      }
    }
  }

  /** Tries one row; returns how long the chat must wait before the next try, or 0 to go on. */
  const attempt = async (row: OutboxRow): Promise<number> => {
    const outcome = await deliver(row).then((sent): Delivery => ({ state: 'sent', sent }), asAppError)
    if (!(outcome instanceof AppError)) {
      await close(row, outcome)
      return 0
    }
    const now = clock.now()
    const isUnknown = outcome.code.endsWith('.outcome_unknown')
    if ((outcome.retryable || (isUnknown && mayRepeat(row, row.attempts + 1))) && now < row.deadline) {
      const wait = Math.min(LONGEST_WAIT_MS, outcome.retryAfterMs ?? backoffMs(row.attempts + 1, deps.random))
      logger.warn(
        { ref: row.ref, key: row.key, attempts: row.attempts + 1, wait, error: outcome },
        'sending failed; will try again',
      )
      await written(() => markRetry(store.db, row.id, now + wait, describe(outcome)))
      return wait
    }
    const state = isUnknown ? 'unknown' : 'failed'
    logger.error({ ref: row.ref, key: row.key, error: outcome }, 'a message could not be delivered')
    await close(row, { state, error: outcome })
    return 0
  }

  const deliver = async (row: OutboxRow): Promise<SentMessage> => {
    // A long stop or a restored backup: words of yesterday would only confuse.
    if (clock.now() > row.deadline)
      throw new AppError('outbox.too_late', 'the message was not sent in time', {
        hint: 'The service was down too long, or the store was restored from a backup.',
      })
    const adapter = deps.adapter(row.bot_id)
    if (!adapter)
      throw new AppError('outbox.no_bot', `bot ${row.bot_id} is not configured`, {
        hint: 'Put the bot back into yizhan.yaml.',
      })
    const payload = JSON.parse(row.payload) as OutboxPayload
    const to = JSON.parse(row.address) as Address
    const target = await resolveTarget(row, payload)
    const options = {
      key: target.key,
      priority: row.priority,
      ...(target.prepared ? { prepared: target.prepared } : {}),
      onPrepared: (handle: SentMessage['handle']) => markPrepared(store.db, row.id, handle),
      ...(payload.update ? { repaint: true } : {}),
    }
    if (!target.update) return sendOrSay(adapter, to, payload.message, options)
    try {
      return await adapter.update(target.update, to, payload.message, options)
    } catch (cause) {
      const error = asAppError(cause)
      // A card that only repaints what people already know is not worth a second message.
      if (error.retryable || payload.update) throw error
      logger.warn(
        { ref: row.ref, error },
        'the running message cannot be changed any more; sending the result as a new one',
      )
      return adapter.send(to, payload.message, options)
    }
  }

  /** A final goes into the run's live message, also when a crash came between preparing and sending it. */
  const resolveTarget = async (
    row: OutboxRow,
    payload: OutboxPayload,
  ): Promise<{ key: string; update?: SentMessage; prepared?: SentMessage['handle'] }> => {
    const own = row.prepared === null ? {} : { prepared: JSON.parse(row.prepared) as SentMessage['handle'] }
    if (payload.update) return { key: row.key, update: payload.update, ...own }
    const run = payload.intoRun === undefined ? undefined : await findRun(store.db, payload.intoRun)
    const live = run && parseLive(run)
    if (!run || !live) return { key: row.key, ...own }
    if (live.sent) return { key: row.key, update: live.sent, ...own }
    return { key: liveKey(run.id, live.generation), ...(live.prepared ? { prepared: live.prepared } : own) }
  }

  const drainChat = async (chat: string): Promise<void> => {
    while (!stopped) {
      const row = await nextMail(store.db, chat)
      if (!row || row.state === 'sending') return
      const early = row.next_at - clock.now()
      // Further away than any wait, the time was written before somebody set the clock back.
      if (early > 0 && early <= LONGEST_WAIT_MS) {
        clock.after(early, () => flush(chat))
        return
      }
      if (!(await claimMail(store.db, row.id))) return
      const wait = await attempt(row)
      if (wait > 0) {
        clock.after(wait, () => flush(chat))
        return
      }
    }
  }

  const flush = (chat: string): void => {
    if (stopped) return
    const running = sending.get(chat)
    if (running) {
      again.add(chat)
      return
    }
    const work = drainChat(chat)
      .catch((error: unknown) =>
        logger.error({ chat, error }, 'the outbox of a chat stopped; the sweeper will try again'),
      )
      .finally(() => {
        sending.delete(chat)
        if (again.delete(chat)) flush(chat)
      })
    sending.set(chat, work)
  }
  const again = new Set<string>()

  return {
    put: (db, row) => insertOutbox(db, row, clock.now()),
    flush,
    closed: (key, ms) =>
      new Promise((resolve) => {
        const listeners = waiting.get(key) ?? new Set()
        waiting.set(key, listeners)
        const cancel = clock.after(ms, () => {
          listeners.delete(tell)
          resolve(undefined)
        })
        const tell = (delivery: Delivery): void => {
          cancel()
          resolve(delivery)
        }
        listeners.add(tell)
      }),
    start: async () => {
      for (const row of await interruptedMail(store.db)) await recover(deps, row, close)
      for (const chat of await chatsWithMail(store.db)) flush(chat)
    },
    stop: async () => {
      stopped = true
      stopping.abort(new Error('the outbox has stopped'))
      await Promise.all(sending.values())
    },
  }
}

/** True when the error says that the chat itself can no longer be reached. */
export function isChatGone(error: AppError): boolean {
  return /\.(chat_gone|bot_not_in_chat|robot_gone)$/.test(error.code)
}

/** Idempotency key of a run's live message. */
export function liveKey(runId: string, generation: number): string {
  return `l-${runId}-${generation}`
}

/** A message that may stand in the chat more than once rather than not at all, until it was tried often enough. */
function mayRepeat({ payload }: OutboxRow, tries: number): boolean {
  return tries < MOST_REPEATS && (JSON.parse(payload) as OutboxPayload).repeatable === true
}

/**
 * A row that was being sent when the process died. Repeating is safe for updates, which replace, where
 * the platform drops a repeated key, and for what may be seen twice; otherwise the outcome is unknown
 * and said so.
 */
async function recover(
  deps: OutboxDeps,
  row: OutboxRow,
  close: (row: OutboxRow, delivery: Delivery) => Promise<void>,
): Promise<void> {
  const payload = JSON.parse(row.payload) as OutboxPayload
  const run = payload.intoRun === undefined ? undefined : await findRun(deps.store.db, payload.intoRun)
  const replaces = payload.update !== undefined || (run !== undefined && parseLive(run)?.sent !== undefined)
  const window = deps.adapter(row.bot_id)?.capabilities.idempotentSendMs ?? 0
  if (replaces || mayRepeat(row, row.attempts) || deps.clock.now() - row.created_at < window) {
    await markRetry(deps.store.db, row.id, deps.clock.now(), {
      code: 'outbox.interrupted',
      message: 'the service stopped while sending',
    })
    return
  }
  const error = new AppError(
    'outbox.outcome_unknown',
    'the service stopped while sending; the message may have arrived',
    {
      hint: 'Look into the chat before sending it again.',
    },
  )
  await close(row, { state: 'unknown', error })
}

function asAppError(cause: unknown): AppError {
  if (isAppError(cause)) return cause
  const message = cause instanceof Error ? cause.message : String(cause)
  return new AppError('outbox.failed', message, {
    cause,
    hint: 'This is a fault of the service; the log has the details.',
  })
}

function describe(error: AppError): { code: string; message: string; hint: string } {
  return { code: error.code, message: error.message, hint: error.hint }
}
