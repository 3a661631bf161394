/** A run ends when it is told to, also when its engine does not listen: nobody is left looking at "thinking". */
import type { AgentEvent } from '../protocol/engine.ts'
import type { Clock } from '../protocol/ports.ts'

/** How long an engine may take to end after an abort, milliseconds; it gives its own tools less. */
const GRACE_MS = 30_000

const DEAF = Symbol('deaf')

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
      const next = await withinGrace(iterator.next(), signal, clock)
      isDeaf = next === DEAF
      if (next === DEAF) {
        yield last()
        return
      }
      if (next.done === true) return
      yield next.value
    }
  } finally {
    const ended = Promise.resolve(iterator.return?.()).catch(() => undefined)
    if (!isDeaf) await atMostGrace(ended, clock)
  }
}

async function atMostGrace(ended: Promise<unknown>, clock: Clock): Promise<void> {
  const { promise: givenUp, resolve } = Promise.withResolvers<void>()
  const cancel = clock.after(GRACE_MS, resolve)
  await Promise.race([ended, givenUp])
  cancel()
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
