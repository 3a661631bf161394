/** Rounds through the mail of chats: one at a time for a chat, any number side by side. */

import { backoffMs } from './backoff.ts'
import type { Carrier } from './carrier.ts'
import type { OutboxDeps } from './outbox.ts'

export interface Rounds {
  /** Begins a round through the chat's mail; when one goes on, another follows it. Never waits. */
  begin(chat: string): void
  /** Resolves when the rounds that go on now are over. */
  ended(): Promise<unknown>
}

export function createRounds(
  { clock, random, logger }: OutboxDeps,
  stopping: AbortSignal,
  carrier: Carrier,
): Rounds {
  const underWay = new Map<string, Promise<void>>()
  const again = new Set<string>()
  const faults = new Map<string, number>()

  const walk = async (chat: string): Promise<void> => {
    while (!stopping.aborted) {
      const wait = await carrier.step(chat)
      faults.delete(chat)
      if (wait === undefined) return
      if (wait > 0) {
        clock.after(wait, () => begin(chat))
        return
      }
    }
  }

  const onFault = (chat: string, error: unknown): void => {
    if (stopping.aborted) return
    const count = (faults.get(chat) ?? 0) + 1
    faults.set(chat, count)
    const wait = backoffMs(count, random)
    logger.error({ chat, wait, error }, 'the outbox of a chat is in trouble; it goes on soon')
    clock.after(wait, () => begin(chat))
  }

  const begin = (chat: string): void => {
    if (stopping.aborted) return
    if (underWay.has(chat)) {
      again.add(chat)
      return
    }
    const work = walk(chat)
      .catch((error: unknown) => onFault(chat, error))
      .finally(() => {
        underWay.delete(chat)
        if (again.delete(chat)) begin(chat)
      })
    underWay.set(chat, work)
  }

  return { begin, ended: () => Promise.all(underWay.values()) }
}
