/** A run ends when it is told to, also when its engine does not listen: nobody is left looking at "thinking". */
import type { AgentEvent } from '../protocol/engine.ts'
import type { Clock } from '../protocol/ports.ts'

/** How long an engine may take to end after an abort, milliseconds; it gives its own tools less. */
const GRACE_MS = 30_000

const DEAF = Symbol('deaf')

/**
 * The events of a run. When the run was aborted and its engine has said nothing for a while, `last` is said in
 * its place and the engine is left behind: whatever it still writes carries a fence that is past.
 */
export async function* obedient(
  events: AsyncIterable<AgentEvent>,
  signal: AbortSignal,
  clock: Clock,
  last: () => AgentEvent,
): AsyncIterable<AgentEvent> {
  const iterator = events[Symbol.asyncIterator]()
  for (;;) {
    const next = await withinGrace(iterator.next(), signal, clock)
    if (next === DEAF) {
      yield last()
      return
    }
    if (next.done === true) return
    yield next.value
  }
}

async function withinGrace<T>(
  pending: Promise<T>,
  signal: AbortSignal,
  clock: Clock,
): Promise<T | typeof DEAF> {
  let cancel = (): void => undefined
  let onAbort = (): void => undefined
  const givenUp = new Promise<typeof DEAF>((resolve) => {
    onAbort = () => {
      cancel = clock.after(GRACE_MS, () => resolve(DEAF))
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
