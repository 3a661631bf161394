/** The reaction on a person's message that shows that work has begun. Runs never wait for it. */
import type { Adapter } from '../protocol/adapter.ts'
import type { Address } from '../protocol/address.ts'

export interface WorkIndicator {
  /** Adds it once, in a later turn of the event loop, so that the request to the model is sent first. */
  show(): void
  /** Removes it. Resolves when the platform has answered; at once if it was never added. */
  remove(): Promise<void>
}

/** @param messageId the message that is answered; null for a run that answers none */
export function createWorkIndicator(adapter: Adapter, to: Address, messageId: string | null): WorkIndicator {
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
