/** Recalls that may have come before their messages (R24), as this process has read them from the store. */
import { recallsAfter } from '../store/repositories/recalls.ts'
import type { Db } from '../store/store.ts'

/** A message that comes later than this many recalls after its own is answered; deliveries take hours at most. */
const RECALLS_KNOWN = 20_000

export interface KnownRecalls {
  /**
   * The `dedupe` keys of all recalls, those of other processes included; to be asked inside the transaction that
   * stores the messages, since write transactions follow one after the other.
   */
  read(trx: Db): Promise<ReadonlySet<string>>
  /** After a transaction that failed: what was read in its group may be gone, and its row ids come again. */
  forget(): void
}

/**
 * Reads on where it stopped before, so that a group of messages costs one look at an index that is nearly
 * always empty behind that point.
 */
export function createKnownRecalls(): KnownRecalls {
  const keys = new Set<string>()
  let last = 0
  return {
    read: async (trx) => {
      for (const { id, dedupe } of await recallsAfter(trx, last)) {
        keys.add(dedupe)
        last = id
      }
      for (const oldest of keys) {
        if (keys.size <= RECALLS_KNOWN) break
        keys.delete(oldest)
      }
      return keys
    },
    forget: () => {
      keys.clear()
      last = 0
    },
  }
}
