/** Sends the outbox rows of one chat in order, one row per call. */
import { AppError, isAppError } from '../protocol/errors.ts'
import type { Presence } from '../store/presence.ts'
import { claimMail, markRetry, nextMail } from '../store/repositories/outbox.ts'
import type { OutboxRow } from '../store/schema.ts'
import { backoffMs } from './backoff.ts'
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
import type { OutcomeWriter } from './outcome-writer.ts'

/** Longest pause before a retry, milliseconds, whatever the platform asks for. */
const LONGEST_WAIT_MS = 600_000

export interface ChatSender {
  /** Handles the chat's oldest open row. Resolves with the milliseconds until the next call, or undefined if nothing is left. */
  step(chat: string): Promise<number | undefined>
}

type ChatSenderDeps = OutboxDeps & Pick<DeliveryDeps, 'leaving'>

/** A sender for all chats of this process. */
export function createChatSender(
  deps: ChatSenderDeps,
  presence: Presence,
  outcomes: OutcomeWriter,
): ChatSender {
  const { store, clock } = deps
  return {
    step: async (chat) => {
      const row = await nextMail(store.db, chat, outcomes.leftAlone())
      if (!row) return undefined
      if (row.state === 'sending') {
        if (await presence.isElsewhere(row.owner)) return undefined
        await takeUp(deps, outcomes, row)
        return 0
      }
      const early = row.next_at - clock.now()
      // A retry time further ahead than any pause was written before the clock was set back: send now.
      if (early > 0 && early <= LONGEST_WAIT_MS) return early
      const claimed = await claimMail(store.db, row.id, presence.owner)
      return claimed && attempt(deps, outcomes, claimed)
    },
  }
}

/** Tries one row that is claimed; resolves with the wait before the chat's next try, or 0 to go on. */
async function attempt(deps: ChatSenderDeps, outcomes: OutcomeWriter, row: OutboxRow): Promise<number> {
  const { clock, random, logger } = deps
  const outcome = await deliver(deps, row).then((sent): Delivery => ({ state: 'sent', sent }), asAppError)
  if (!(outcome instanceof AppError)) {
    await outcomes.close(row, outcome)
    return 0
  }
  const isUnknown = isOutcomeUnknown(outcome)
  if ((outcome.retryable || (isUnknown && isRepeatable(row))) && clock.now() < row.deadline) {
    const wait = Math.min(LONGEST_WAIT_MS, outcome.retryAfterMs ?? backoffMs(row.attempts, random))
    logger.warn(
      { ref: row.ref, key: row.key, attempts: row.attempts, wait, error: outcome },
      'sending failed; will try again',
    )
    return outcomes.giveBack(row, wait, outcome)
  }
  logger.error({ ref: row.ref, key: row.key, error: outcome }, 'a message could not be delivered')
  await outcomes.close(row, { state: isUnknown ? 'unknown' : 'failed', error: outcome })
  return 0
}

/** A row in state `sending` that nobody is sending: repeated where that is safe, else its outcome is unknown. */
async function takeUp(deps: ChatSenderDeps, outcomes: OutcomeWriter, row: OutboxRow): Promise<void> {
  const known = outcomes.outcomeOf(row)
  if (known) return outcomes.close(row, known)
  const repeatable = await mayRepeat(deps, row).catch((error: unknown) => {
    if (isAppError(error, 'outbox.unreadable')) return false
    throw error
  })
  if (repeatable) {
    const error = { code: 'outbox.interrupted', message: 'the service stopped while sending' }
    await markRetry(deps.store.db, row, deps.clock.now(), error)
    return
  }
  await outcomes.close(row, {
    state: 'unknown',
    error: new AppError(
      'outbox.outcome_unknown',
      'the service stopped while sending; the message may have arrived',
      { hint: 'Look into the chat before sending it again.' },
    ),
  })
}
