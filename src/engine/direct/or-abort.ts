/** Waiting for something that may ignore its abort. */

import type { Clock } from '../../protocol/ports.ts'
import { TIMED_OUT, withTimeout } from '../../protocol/timeout.ts'

/** How long a tool may take to end after an abort; a command's process tree is killed in less. */
const GRACE_MS = 10_000

/** Settles like `pending`, or rejects with the signal's reason {@link GRACE_MS} after the abort. */
export async function orAbort<T>(pending: Promise<T>, signal: AbortSignal, clock: Clock): Promise<T> {
  const ended = await withTimeout(pending, { ms: GRACE_MS, clock, after: signal })
  if (ended === TIMED_OUT) throw signal.reason
  return ended
}
