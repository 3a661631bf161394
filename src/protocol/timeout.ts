/** Waits for a promise no longer than a given time. */
import type { Clock } from './ports.ts'

/** Result of {@link withTimeout} when the promise did not settle in time. */
export const TIMED_OUT = Symbol('timed out')

/** How long to wait. */
export interface Timeout {
  readonly ms: number
  readonly clock: Clock
  /** The time starts when this signal aborts; without a signal, at once. */
  readonly after?: AbortSignal
}

/** Settles like `pending`, or resolves with {@link TIMED_OUT} after `ms`. A later rejection of `pending` is ignored. */
export async function withTimeout<T>(
  pending: Promise<T>,
  { ms, clock, after }: Timeout,
): Promise<T | typeof TIMED_OUT> {
  const late = Promise.withResolvers<typeof TIMED_OUT>()
  let cancel = (): void => undefined
  const begin = (): void => {
    cancel = clock.after(ms, () => late.resolve(TIMED_OUT))
  }
  if (!after || after.aborted) begin()
  else after.addEventListener('abort', begin, { once: true })
  try {
    return await Promise.race([pending, late.promise])
  } finally {
    cancel()
    after?.removeEventListener('abort', begin)
  }
}
