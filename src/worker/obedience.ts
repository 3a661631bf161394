/** A run ends when it is told to, also when its engine does not listen: nobody is left looking at "thinking". */
import type { AgentEvent } from '../protocol/engine.ts'
import { GIVEN_UP, withinGrace } from '../protocol/grace.ts'
import type { Clock } from '../protocol/ports.ts'

/** How long an engine may take to end after an abort, milliseconds; it gives its own tools less. */
const GRACE_MS = 30_000

/**
 * The events of a run. When the run was aborted and its engine has said nothing for a while, `last` is said in
 * its place and the engine is left behind: whatever it still writes carries a fence that is past. Whoever reads
 * no further ends the engine too, and goes on only when it has ended, or has not listened to that either.
 */
export async function* obedient(
  events: AsyncIterable<AgentEvent>,
  signal: AbortSignal,
  clock: Clock,
  last: () => AgentEvent,
): AsyncIterable<AgentEvent> {
  const iterator = events[Symbol.asyncIterator]()
  let isDeaf = false
  try {
    for (;;) {
      const next = await withinGrace(iterator.next(), { ms: GRACE_MS, clock, after: signal })
      isDeaf = next === GIVEN_UP
      if (next === GIVEN_UP) {
        yield last()
        return
      }
      if (next.done === true) return
      yield next.value
    }
  } finally {
    const ended = Promise.resolve(iterator.return?.()).catch(() => undefined)
    if (!isDeaf) await withinGrace(ended, { ms: GRACE_MS, clock })
  }
}
