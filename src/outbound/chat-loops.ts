/** One send loop per chat: a chat's rows leave one after the other, different chats in parallel. */

import { backoffMs } from './backoff.ts'
import type { ChatSender } from './chat-sender.ts'
import type { OutboxDeps } from './outbox.ts'

export interface ChatLoops {
  /** Starts the chat's loop. If it is running already, it runs once more when it ends. Returns at once. */
  begin(chat: string): void
  /** Resolves when all loops that are running now have ended. */
  ended(): Promise<unknown>
}

/** @param stopping ends every loop after its current row */
export function createChatLoops(
  { clock, random, logger }: OutboxDeps,
  stopping: AbortSignal,
  sender: ChatSender,
): ChatLoops {
  const underWay = new Map<string, Promise<void>>()
  const again = new Set<string>()
  const faults = new Map<string, number>()

  const walk = async (chat: string): Promise<void> => {
    while (!stopping.aborted) {
      const wait = await sender.step(chat)
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
