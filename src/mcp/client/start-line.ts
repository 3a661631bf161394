/**
 * Lets server programs start a few at a time. Twenty at once would take the processor from the service and from each
 * other, and none of them would say hello before all had loaded.
 */
import type { Clock } from '../../protocol/ports.ts'
import type { RunningProgram } from '../../sandbox/index.ts'

export interface StartLine {
  /** Starts as soon as there is room, in the order of asking. Rejects as `start` does, or with the signal's reason. */
  begin(start: () => Promise<RunningProgram>, leaving: AbortSignal): Promise<RunningProgram>
}

/** Programs that load side by side. */
const PLACES = 4
/** How long a program counts as loading. Not until its hello: one that hangs must not hold up the others. */
const LOADING_MS = 250

export function createStartLine(clock: Pick<Clock, 'after'>): StartLine {
  let free = PLACES
  const waiting: (() => void)[] = []
  const leave = (): void => {
    const next = waiting.shift()
    if (next) next()
    else free += 1
  }
  const enter = async (leaving: AbortSignal): Promise<void> => {
    leaving.throwIfAborted()
    if (free > 0) {
      free -= 1
      return
    }
    const turn = Promise.withResolvers<void>()
    const giveUp = (): void => {
      const at = waiting.indexOf(turn.resolve)
      // Called already: it has its place, and whoever starts it sees that it is to leave.
      if (at < 0) return
      waiting.splice(at, 1)
      turn.reject(leaving.reason)
    }
    waiting.push(turn.resolve)
    leaving.addEventListener('abort', giveUp, { once: true })
    await turn.promise.finally(() => leaving.removeEventListener('abort', giveUp))
  }
  return {
    begin: async (start, leaving) => {
      await enter(leaving)
      let isLoading = true
      const loaded = (): void => {
        cancel()
        if (isLoading) leave()
        isLoading = false
      }
      // Whatever holds a start up, a folder on a dead disk say, must not hold up the others.
      const cancel = clock.after(LOADING_MS, loaded)
      const starting = start()
      starting.then(({ ended }) => ended.then(loaded), loaded)
      return starting
    },
  }
}
