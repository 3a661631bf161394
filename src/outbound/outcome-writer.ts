/**
 * Records the outcome of each send in its outbox row, retrying while the store fails, and then reports it. A row
 * that cannot be written although the store works is set aside, so that the chat's next rows can be sent.
 */
import { type AppError, isAppError } from '../protocol/errors.ts'
import { markLost, markRetry, markSent } from '../store/repositories/outbox.ts'
import type { OutboxRow } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import { backoffMs } from './backoff.ts'
import type { Delivery } from './delivery.ts'
import type { OutboxDeps } from './outbox.ts'

/** Attempts to write an outcome that the store refuses with a permanent error, before its row is set aside. */
const MOST_WRITES = 5
/** How long a row stays set aside before its outcome is written again, milliseconds. */
const ASIDE_MS = 600_000

export interface OutcomeWriter {
  /** Closes a claimed row with its outcome. Rejects only when the service stops. */
  close(row: OutboxRow, delivery: Delivery): Promise<void>
  /** Releases a claimed row for a retry after `wait` ms. Resolves with `wait`, or with 0 if the row was closed as failed instead. */
  giveBack(row: OutboxRow, wait: number, error: AppError): Promise<number>
  /** Outcome of a row that is set aside; undefined for any other row. */
  outcomeOf(row: OutboxRow): Delivery | undefined
  /** Ids of the rows that are set aside now. */
  leftAlone(): number[]
}

/** @param tell called for every closed row, including one that is set aside */
export function createOutcomeWriter(
  deps: OutboxDeps,
  stopping: AbortSignal,
  tell: (row: OutboxRow, delivery: Delivery) => Promise<void>,
): OutcomeWriter {
  const { store, clock, logger } = deps
  const aside = new Map<number, { readonly until: number; readonly delivery: Delivery }>()

  const setAside = (row: OutboxRow, delivery: Delivery, error: unknown): void => {
    aside.set(row.id, { until: clock.now() + ASIDE_MS, delivery })
    logger.error(
      { ref: row.ref, key: row.key, chat: row.chat_key, state: delivery.state, error },
      'a message is set aside, because its row cannot be written; the chat goes on without it',
    )
  }

  const close = async (row: OutboxRow, delivery: Delivery): Promise<void> => {
    try {
      const isMine = await written(deps, stopping, () =>
        delivery.state === 'sent'
          ? markSent(store.db, row, delivery.sent, clock.now())
          : markLost(store.db, row, delivery.state, describe(delivery.error)),
      )
      aside.delete(row.id)
      if (!isMine) {
        logger.warn({ key: row.key }, 'another process took this message over and records its outcome')
        return
      }
    } catch (error) {
      if (stopping.aborted) throw error
      setAside(row, delivery, error)
    }
    await tell(row, delivery)
  }

  return {
    close,
    giveBack: async (row, wait, error) => {
      try {
        const at = (): number => clock.now() + wait
        await written(deps, stopping, () => markRetry(store.db, row, at(), describe(error)))
        return wait
      } catch (cause) {
        if (stopping.aborted) throw cause
        await close(row, { state: 'failed', error })
        return 0
      }
    },
    outcomeOf: (row) => aside.get(row.id)?.delivery,
    leftAlone: () => [...aside].filter(([, { until }]) => until > clock.now()).map(([id]) => id),
  }
}

/**
 * Retries `write` until the store accepts it: a full disk must cause neither a second send nor a blocked chat.
 * Rejects if the service stops, or if the store works and refuses this row for good. Resolves with false if
 * another process has taken the row over.
 */
async function written(
  { store, clock, random, logger }: OutboxDeps,
  stopping: AbortSignal,
  write: () => Promise<boolean>,
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write()
    } catch (error) {
      logger.error({ error, attempt }, 'the outcome of a message could not be written; will try again')
      const isForGood = !(isAppError(error) && error.retryable) && attempt >= MOST_WRITES
      if (stopping.aborted || (isForGood && (await works(store)))) throw error
      await clock.sleep(backoffMs(attempt, random), stopping)
    }
  }
}

/** Whether the store accepts writes at all; if it does, the refused row itself is the problem. */
async function works(store: Store): Promise<boolean> {
  return store.probe().then(
    () => true,
    () => false,
  )
}

function describe(error: AppError): { code: string; message: string; hint: string } {
  return { code: error.code, message: error.message, hint: error.hint }
}
