/**
 * The only way out. A message is a row before it is a call: rows of one chat leave in order, one at a
 * time, with an idempotency key, and are closed by the platform's own answer. It knows rows,
 * adapters and error classes; it refuses to know what a message is about.
 */

import type { Adapter, SendOptions } from '../protocol/adapter.ts'
import type { Address } from '../protocol/address.ts'
import { AppError, isAppError } from '../protocol/errors.ts'
import type { OutboundMessage, SentMessage } from '../protocol/outbound.ts'
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
import { cardAsMarkdown } from './card-text.ts'

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
  let stopped = false

  const close = async (row: OutboxRow, delivery: Delivery): Promise<void> => {
    if (delivery.state === 'sent') await markSent(store.db, row.id, delivery.sent, clock.now())
    else await markLost(store.db, row.id, delivery.state, describe(delivery.error))
    for (const tell of waiting.get(row.key) ?? []) tell(delivery)
    waiting.delete(row.key)
    await deps.onClosed(row, delivery)
  }

  /** Tries one row; returns how long the chat must wait before the next try, or 0 to go on. */
  const attempt = async (row: OutboxRow): Promise<number> => {
    try {
      const sent = await deliver(row)
      await close(row, { state: 'sent', sent })
      return 0
    } catch (cause) {
      const error = asAppError(cause)
      const now = clock.now()
      if (error.retryable && now < row.deadline) {
        const wait = error.retryAfterMs ?? backoffMs(row.attempts + 1, deps.random)
        logger.warn(
          { ref: row.ref, key: row.key, attempts: row.attempts + 1, wait, error },
          'sending failed; will try again',
        )
        await markRetry(store.db, row.id, now + wait, describe(error))
        return wait
      }
      const state = error.code.endsWith('.outcome_unknown') ? 'unknown' : 'failed'
      logger.error({ ref: row.ref, key: row.key, error }, 'a message could not be delivered')
      await close(row, { state, error })
      return 0
    }
  }

  const deliver = async (row: OutboxRow): Promise<SentMessage> => {
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
      if (early > 0) {
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
      await Promise.all(sending.values())
    },
  }
}

/** A card that the platform refuses in this chat is said in words: an approval must reach somebody. */
async function sendOrSay(
  adapter: Adapter,
  to: Address,
  message: OutboundMessage,
  options: SendOptions,
): Promise<SentMessage> {
  try {
    return await adapter.send(to, message, options)
  } catch (error) {
    if (message.type !== 'card' || !(error instanceof AppError) || !error.code.endsWith('.card_refused'))
      throw error
    const envelope = message.replyTo === undefined ? {} : { replyTo: message.replyTo }
    return adapter.send(
      to,
      { type: 'markdown', markdown: cardAsMarkdown(message.card), ...envelope },
      options,
    )
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

/**
 * A row that was being sent when the process died. Repeating is safe for updates, which replace, and
 * where the platform drops a repeated key; otherwise the outcome is unknown and said so.
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
  if (replaces || deps.clock.now() - row.created_at < window) {
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
