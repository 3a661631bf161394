/** Carries the rows of a chat to its platform, one step at a time. */
import { AppError, isAppError } from '../protocol/errors.ts'
import type { Presence } from '../store/presence.ts'
import { claimMail, markRetry, nextMail } from '../store/repositories/outbox.ts'
import type { OutboxRow } from '../store/schema.ts'
import { backoffMs } from './backoff.ts'
import type { Closing } from './closing.ts'
import {
  asAppError,
  type Delivery,
  type DeliveryDeps,
  deliver,
  isOutcomeUnknown,
  isRepeatable,
  mayRepeat,
} from './delivery.ts'
import type { OutboxDeps } from './outbox.ts'

/** A chat does not stand still for longer than this, whatever the platform asks for. */
const LONGEST_WAIT_MS = 600_000

export interface Carrier {
  /** The chat's next row, one step further; undefined when there is nothing to do, else the wait before the next. */
  step(chat: string): Promise<number | undefined>
}

type CarrierDeps = OutboxDeps & Pick<DeliveryDeps, 'leaving'>

export function createCarrier(deps: CarrierDeps, presence: Presence, closing: Closing): Carrier {
  const { store, clock } = deps
  return {
    step: async (chat) => {
      const row = await nextMail(store.db, chat, closing.leftAlone())
      if (!row) return undefined
      if (row.state === 'sending') {
        if (await presence.isElsewhere(row.owner)) return undefined
        await takeUp(deps, closing, row)
        return 0
      }
      const early = row.next_at - clock.now()
      // Further away than any wait, the time was written before somebody set the clock back.
      if (early > 0 && early <= LONGEST_WAIT_MS) return early
      const claimed = await claimMail(store.db, row.id, presence.owner)
      return claimed && attempt(deps, closing, claimed)
    },
  }
}

/** Tries one row that is claimed; resolves with the wait before the chat's next try, or 0 to go on. */
async function attempt(deps: CarrierDeps, closing: Closing, row: OutboxRow): Promise<number> {
  const { clock, random, logger } = deps
  const outcome = await deliver(deps, row).then((sent): Delivery => ({ state: 'sent', sent }), asAppError)
  if (!(outcome instanceof AppError)) {
    await closing.close(row, outcome)
    return 0
  }
  const isUnknown = isOutcomeUnknown(outcome)
  if ((outcome.retryable || (isUnknown && isRepeatable(row))) && clock.now() < row.deadline) {
    const wait = Math.min(LONGEST_WAIT_MS, outcome.retryAfterMs ?? backoffMs(row.attempts, random))
    logger.warn(
      { ref: row.ref, key: row.key, attempts: row.attempts, wait, error: outcome },
      'sending failed; will try again',
    )
    return closing.giveBack(row, wait, outcome)
  }
  logger.error({ ref: row.ref, key: row.key, error: outcome }, 'a message could not be delivered')
  await closing.close(row, { state: isUnknown ? 'unknown' : 'failed', error: outcome })
  return 0
}

/** A row in state `sending` that nobody is sending: repeated where that is safe, else its outcome is unknown. */
async function takeUp(deps: CarrierDeps, closing: Closing, row: OutboxRow): Promise<void> {
  const known = closing.outcomeOf(row)
  if (known) return closing.close(row, known)
  const repeatable = await mayRepeat(deps, row).catch((error: unknown) => {
    if (isAppError(error, 'outbox.unreadable')) return false
    throw error
  })
  if (repeatable) {
    const error = { code: 'outbox.interrupted', message: 'the service stopped while sending' }
    await markRetry(deps.store.db, row, deps.clock.now(), error)
    return
  }
  await closing.close(row, {
    state: 'unknown',
    error: new AppError(
      'outbox.outcome_unknown',
      'the service stopped while sending; the message may have arrived',
      { hint: 'Look into the chat before sending it again.' },
    ),
  })
}
