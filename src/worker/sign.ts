/** The sign on a person's message that work has begun. An ornament: the work never waits for it. */
import type { Adapter } from '../protocol/adapter.ts'
import type { Address } from '../protocol/address.ts'

export interface Sign {
  /** Puts it there soon, once: behind the request at the model, which the person waits for. */
  show(): void
  /** Takes it away. Resolves when it is gone; at once when it was never there. */
  remove(): Promise<void>
}

/** @param messageId the message that is answered; null for a run that answers none */
export function createSign(adapter: Adapter, to: Address, messageId: string | null): Sign {
  let soon: NodeJS.Immediate | undefined
  let placed: Promise<() => Promise<void>> | undefined
  return {
    show: () => {
      if (messageId === null || soon) return
      soon = setImmediate(() => {
        placed = adapter.indicate(to, messageId)
      })
    },
    remove: async () => {
      clearImmediate(soon)
      const takeAway = await placed
      await takeAway?.()
    },
  }
}
