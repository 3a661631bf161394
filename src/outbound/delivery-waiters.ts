/** Promises that wait until an outbox row is closed, by the row's key. */
import type { Clock } from '../protocol/ports.ts'
import type { Delivery } from './delivery.ts'

export interface DeliveryWaiters {
  /** Resolves when the row with this key is closed, or with undefined after `ms`. */
  closed(key: string, ms: number): Promise<Delivery | undefined>
  tell(key: string, delivery: Delivery): void
}

/** No waiters yet. */
export function createDeliveryWaiters(clock: Clock): DeliveryWaiters {
  const waiting = new Map<string, Set<(delivery: Delivery) => void>>()
  return {
    closed: (key, ms) =>
      new Promise((resolve) => {
        const listeners = waiting.get(key) ?? new Set()
        waiting.set(key, listeners)
        const cancel = clock.after(ms, () => {
          listeners.delete(tell)
          if (listeners.size === 0 && waiting.get(key) === listeners) waiting.delete(key)
          resolve(undefined)
        })
        const tell = (delivery: Delivery): void => {
          cancel()
          resolve(delivery)
        }
        listeners.add(tell)
      }),
    tell: (key, delivery) => {
      for (const tell of waiting.get(key) ?? []) tell(delivery)
      waiting.delete(key)
    },
  }
}
