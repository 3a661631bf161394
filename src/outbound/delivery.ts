/** One row becomes one platform call: where it goes, under which key, and what the platform answered. */
import type { Adapter } from '../protocol/adapter.ts'
import type { Address } from '../protocol/address.ts'
import { AppError, isAppError } from '../protocol/errors.ts'
import type { SentMessage } from '../protocol/outbound.ts'
import type { Clock, Logger } from '../protocol/ports.ts'
import { TIMED_OUT, withTimeout } from '../protocol/timeout.ts'
import { findMailByKey, markPrepared, type OutboxPayload, parseSent } from '../store/repositories/outbox.ts'
import { findRun, parseLive } from '../store/repositories/runs.ts'
import type { OutboxRow } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import { sendCardOrText } from './card-fallback.ts'

/** How a row was closed. `unknown`: it may or may not have arrived, and is not sent again. */
export type Delivery =
  | { readonly state: 'sent'; readonly sent: SentMessage }
  | { readonly state: 'failed' | 'unknown'; readonly error: AppError }

export interface DeliveryDeps {
  readonly store: Store
  readonly adapter: (botId: string) => Adapter | undefined
  readonly clock: Clock
  readonly logger: Logger
  /** Aborts when a stop has waited long enough: what has not left by then does not leave. */
  readonly leaving: AbortSignal
}

/** Where a row goes. Read before the call, so that a store error is not taken for a platform error. */
interface Target {
  readonly key: string
  readonly update?: SentMessage
  readonly prepared?: SentMessage['handle']
}

/** Longest call of a platform, its waiting for a turn included. Every adapter has shorter limits of its own. */
const LONGEST_CALL_MS = 600_000

/**
 * Sends a claimed row; rejects with what the adapter says, or with an `outbox.*` error of our own. A call
 * without any answer ends too: the chat behind it must not stand still.
 */
export async function deliver(deps: DeliveryDeps, row: OutboxRow): Promise<SentMessage> {
  const aborter = new AbortController()
  const leave = (): void => aborter.abort(deps.leaving.reason)
  deps.leaving.addEventListener('abort', leave, { once: true })
  try {
    const call = callPlatform(deps, row, aborter.signal)
    const sent = await withTimeout(call, { ms: LONGEST_CALL_MS, clock: deps.clock })
    if (sent !== TIMED_OUT) return sent
    const error = new AppError('outbox.outcome_unknown', 'the platform gave no answer; it may have arrived', {
      hint: 'Look into the chat before sending it again.',
    })
    aborter.abort(error)
    throw error
  } finally {
    deps.leaving.removeEventListener('abort', leave)
  }
}

async function callPlatform(deps: DeliveryDeps, row: OutboxRow, signal: AbortSignal): Promise<SentMessage> {
  // After a long stop or a restored backup, outdated messages would only confuse.
  if (deps.clock.now() > row.deadline)
    throw new AppError('outbox.too_late', 'the message was not sent in time', {
      hint: 'The service was down too long, or the store was restored from a backup.',
    })
  const adapter = deps.adapter(row.bot_id)
  if (!adapter)
    throw new AppError('outbox.no_bot', `bot ${row.bot_id} is not configured`, {
      hint: 'Put the bot back into yizhan.yaml.',
    })
  const payload = parsePayload(row)
  const to = JSON.parse(row.address) as Address
  const target = await targetOf(deps, row, payload)
  const isUpdate = payload.update !== undefined || payload.updateOf !== undefined
  if (isUpdate && !target.update)
    throw new AppError('outbox.never_sent', 'the message that was to be changed never left', {
      hint: 'Nothing needs to be done: the error of that message says why.',
    })
  const options = {
    key: target.key,
    priority: row.priority,
    signal,
    ...(target.prepared ? { prepared: target.prepared } : {}),
    onPrepared: (handle: SentMessage['handle']) => markPrepared(deps.store.db, row.id, handle),
    ...(isUpdate ? { repaint: true } : {}),
  }
  if (!target.update) return sendCardOrText(adapter, to, payload.message, options)
  try {
    return await adapter.update(target.update, to, payload.message, options)
  } catch (cause) {
    const error = asAppError(cause)
    // The update of a card that people have already seen is not worth a new message.
    if (error.retryable || isUpdate) throw error
    // The message may have arrived; sending it again could double it.
    if (isOutcomeUnknown(error)) throw error
    deps.logger.warn(
      { ref: row.ref, error },
      'the running message cannot be changed any more; sending the result as a new one',
    )
    return adapter.send(to, payload.message, options)
  }
}

/** A final goes into the run's live message, also when a crash came between preparing and sending it. */
async function targetOf(deps: DeliveryDeps, row: OutboxRow, payload: OutboxPayload): Promise<Target> {
  const own = row.prepared === null ? {} : { prepared: JSON.parse(row.prepared) as SentMessage['handle'] }
  if (payload.update) return { key: row.key, update: payload.update, ...own }
  if (payload.updateOf !== undefined) {
    const earlier = await findMailByKey(deps.store.db, payload.updateOf)
    const sent = earlier && parseSent(earlier)
    return { key: row.key, ...(sent && { update: sent }), ...own }
  }
  const run = payload.intoRun === undefined ? undefined : await findRun(deps.store.db, payload.intoRun)
  const live = run && parseLive(run)
  if (!run || !live) return { key: row.key, ...own }
  if (live.sent) return { key: row.key, update: live.sent, ...own }
  // What this row prepared is newer than what the running message did.
  return { key: liveKey(run.id, live.generation), ...(live.prepared && { prepared: live.prepared }), ...own }
}

/** Tries after which a repeatable message is given up as unknown too. */
const MOST_REPEATS = 3

/** True while a message of unknown outcome may be sent again: it is marked as better doubled than lost, and was tried fewer than {@link MOST_REPEATS} times. */
export function isRepeatable(row: OutboxRow): boolean {
  return row.attempts < MOST_REPEATS && parsePayload(row).repeatable === true
}

/** Nobody knows whether the platform took it. */
export function isOutcomeUnknown(error: AppError): boolean {
  return error.code.endsWith('.outcome_unknown')
}

/**
 * Whether a send that was cut off may be repeated: updates replace, and so do sends that were prepared for it,
 * within its window the platform drops a repeated key, and some may be seen twice. Otherwise the outcome is
 * unknown and said so.
 */
export async function mayRepeat(deps: DeliveryDeps, row: OutboxRow): Promise<boolean> {
  const payload = parsePayload(row)
  const { update, prepared } = await targetOf(deps, row, payload)
  const replaces = update !== undefined || prepared?.repeatable === true
  const window = deps.adapter(row.bot_id)?.capabilities.idempotentSendMs ?? 0
  return replaces || isRepeatable(row) || deps.clock.now() - row.created_at < window
}

/** Idempotency key of a run's live message. */
export function liveKey(runId: string, generation: number): string {
  return `l-${runId}-${generation}`
}

/** Anything that was thrown, as an `AppError`; unexpected errors become `outbox.failed`. */
export function asAppError(cause: unknown): AppError {
  if (isAppError(cause)) return cause
  const message = cause instanceof Error ? cause.message : String(cause)
  return new AppError('outbox.failed', message, {
    cause,
    hint: 'This is a fault of the service; the log has the details.',
  })
}

function parsePayload(row: OutboxRow): OutboxPayload {
  try {
    return JSON.parse(row.payload) as OutboxPayload
  } catch (cause) {
    throw new AppError('outbox.unreadable', 'what was to be sent cannot be read any more', {
      cause,
      hint: 'The row of the outbox is damaged. Check the disk, and ask for the answer again.',
    })
  }
}
