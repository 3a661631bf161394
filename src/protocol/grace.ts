/** Waiting for what may never end: it gets a time, and then whoever waits goes on without it. */
import type { Clock } from './ports.ts'

/** Stands for the end that did not come in time. */
export const GIVEN_UP = Symbol('given up')

export interface Grace {
  readonly ms: number
  readonly clock: Clock
  /** The time begins with this abort; without it, now. */
  readonly after?: AbortSignal
}

/** The promise's own end, or {@link GIVEN_UP} when its time is over. What it does later is nobody's any more. */
export async function withinGrace<T>(
  pending: Promise<T>,
  { ms, clock, after }: Grace,
): Promise<T | typeof GIVEN_UP> {
  const late = Promise.withResolvers<typeof GIVEN_UP>()
  let cancel = (): void => undefined
  const begin = (): void => {
    cancel = clock.after(ms, () => late.resolve(GIVEN_UP))
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
