/** The time within which an exchange must be over: a body that does not arrive, an adapter that does not answer. */
import type { ServerResponse } from 'node:http'
import type { Clock } from '../protocol/ports.ts'

export interface Exchange {
  /** When it is late, on the monotonic clock. */
  until: number
  /** Undefined once the exchange is over. */
  response: ServerResponse | undefined
  /** Whoever is waited for: the client for its body, then the adapter. */
  statusWhenLate: 408 | 503
}

export interface Deadline {
  watch(exchange: Exchange): void
  /** The exchange is over. */
  met(exchange: Exchange): void
}

/**
 * One timer for all exchanges: a timer for each would be made and taken back for every event, and hardly one
 * ever rings. All get the same time, so the oldest is the next that can be late.
 *
 * Nothing here may keep a request longer than it lasts, or the cheap collection of young objects would copy every
 * request once and keep it until the next full one. So an exchange carries no function of its own, since V8 puts a
 * function that is assigned to a property among the old objects; and it lets go of its response, since the table
 * that a growing set leaves behind still points to what was in it and to the table after it.
 */
export function createDeadline(
  ms: number,
  clock: Clock,
  late: (response: ServerResponse, status: 408 | 503) => void,
): Deadline {
  const open = new Set<Exchange>()
  let isArmed = false
  const over = (exchange: Exchange): void => {
    open.delete(exchange)
    exchange.response = undefined
  }
  const arm = (wait: number): void => {
    isArmed = true
    clock.after(wait, () => {
      isArmed = false
      const now = clock.monotonic()
      for (const exchange of open) {
        if (exchange.until > now) return arm(exchange.until - now)
        const { response, statusWhenLate } = exchange
        over(exchange)
        if (response) late(response, statusWhenLate)
      }
    })
  }
  return {
    watch: (exchange) => {
      exchange.until = clock.monotonic() + ms
      open.add(exchange)
      if (!isArmed) arm(ms)
    },
    met: over,
  }
}
