/** Waiting for something that may ignore its abort. */
import type { Clock } from '../../protocol/ports.ts'

/** How long a tool may take to end after an abort; a command's process tree is killed in less. */
const GRACE_MS = 10_000

/** The promise's own end, or a rejection when it has not ended some time after the abort. */
export async function orAbort<T>(pending: Promise<T>, signal: AbortSignal, clock: Clock): Promise<T> {
  let cancel = (): void => undefined
  let onAbort = (): void => undefined
  const givenUp = new Promise<never>((_, reject) => {
    onAbort = () => {
      cancel = clock.after(GRACE_MS, () => reject(signal.reason))
    }
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([pending, givenUp])
  } finally {
    cancel()
    signal.removeEventListener('abort', onAbort)
  }
}
