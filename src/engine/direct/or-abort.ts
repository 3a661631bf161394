/** Waiting for something that may ignore its abort. */
import { GIVEN_UP, withinGrace } from '../../protocol/grace.ts'
import type { Clock } from '../../protocol/ports.ts'

/** How long a tool may take to end after an abort; a command's process tree is killed in less. */
const GRACE_MS = 10_000

/** The promise's own end, or a rejection when it has not ended some time after the abort. */
export async function orAbort<T>(pending: Promise<T>, signal: AbortSignal, clock: Clock): Promise<T> {
  const ended = await withinGrace(pending, { ms: GRACE_MS, clock, after: signal })
  if (ended === GIVEN_UP) throw signal.reason
  return ended
}
