/**
 * What came of a message is written, however long the store is in trouble, and then told. A row that cannot
 * be written although the store works is set aside, so that its chat goes on without it.
 */
import { type AppError, isAppError } from '../protocol/errors.ts'
import { markLost, markRetry, markSent } from '../store/repositories/outbox.ts'
import type { OutboxRow } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import { backoffMs } from './backoff.ts'
import type { Delivery } from './delivery.ts'
import type { OutboxDeps } from './outbox.ts'

/** So often an outcome that the store refuses for good is written again, while the store itself works. */
const MOST_WRITES = 5
/** How long a row that cannot be written is left alone before it is tried again. */
const ASIDE_MS = 600_000

export interface Closing {
  /** Closes a claimed row by what came of it. Rejects only when the service stops. */
  close(row: OutboxRow, delivery: Delivery): Promise<void>
  /** Gives a claimed row back for a later try; resolves with the wait, or with 0 when it was closed instead. */
  giveBack(row: OutboxRow, wait: number, error: AppError): Promise<number>
  /** What came of a row that is set aside. */
  outcomeOf(row: OutboxRow): Delivery | undefined
  /** Ids of rows that are left alone for now. */
  leftAlone(): number[]
}

/** `tell` hears of every closed row, also of one that could not be written. */
export function createClosing(
  deps: OutboxDeps,
  stopping: AbortSignal,
  tell: (row: OutboxRow, delivery: Delivery) => Promise<void>,
): Closing {
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
        logger.warn({ key: row.key }, 'another process took this message over; what came of it stands there')
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
 * Writes what came of a claim, as soon as the store takes it: a message must not be sent again, nor its chat
 * stand still, because the disk was full at that moment. Rejects only for a row that the store refuses
 * although it works. False when the row is not ours any more.
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
