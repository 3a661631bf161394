/** Ends the event stream of an engine that ignores its abort, so that no message stays at "thinking". */
import type { AgentEvent } from '../protocol/engine.ts'
import type { Clock } from '../protocol/ports.ts'
import { TIMED_OUT, withTimeout } from '../protocol/timeout.ts'

/** How long an engine may take to end after an abort, milliseconds; it gives its own tools less. */
const ABORT_GRACE_MS = 30_000

/**
 * Passes the events of a run on. If the engine yields nothing for 30 s after `signal` has
 * aborted, `last()` is yielded instead and the engine is abandoned: anything it still writes is refused, because
 * its lease fence is outdated. A reader that stops early ends the engine as well and waits for it at most as long.
 */
export async function* endOnAbort(
  events: AsyncIterable<AgentEvent>,
  signal: AbortSignal,
  clock: Clock,
  last: () => AgentEvent,
): AsyncIterable<AgentEvent> {
  const iterator = events[Symbol.asyncIterator]()
  let isAbandoned = false
  try {
    for (;;) {
      const next = await withTimeout(iterator.next(), { ms: ABORT_GRACE_MS, clock, after: signal })
      isAbandoned = next === TIMED_OUT
      if (next === TIMED_OUT) {
        yield last()
        return
      }
      if (next.done === true) return
      yield next.value
    }
  } finally {
    const ended = Promise.resolve(iterator.return?.()).catch(() => undefined)
    if (!isAbandoned) await withTimeout(ended, { ms: ABORT_GRACE_MS, clock })
  }
}
