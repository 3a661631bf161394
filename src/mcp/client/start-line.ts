/**
 * Lets server programs start one after the other, a moment apart. The system copies the service's page tables for
 * each, some 50 ms of a service with 1 GB: twenty in a row would stop everything else for a second, time limits
 * included. And twenty that load at once are all slow, so that none says hello before a turn gives up.
 */
import type { Clock } from '../../protocol/ports.ts'
import type { RunningProgram } from '../../sandbox/index.ts'

export interface StartLine {
  /** Starts as soon as it is its turn, in the order of asking. Rejects as `start` does, or with the signal's reason. */
  begin(start: () => Promise<RunningProgram>, leaving: AbortSignal): Promise<RunningProgram>
}

/** Between the start of a program and the next one. */
const APART_MS = 50
/** A start that hangs, in a folder on a dead disk say, must not hold up the others. */
const LONGEST_START_MS = 250

export function createStartLine(clock: Pick<Clock, 'after'>): StartLine {
  const waiting: (() => void)[] = []
  let isBusy = false
  const next = (): void => {
    const call = waiting.shift()
    isBusy = call !== undefined
    call?.()
  }
  const enter = async (leaving: AbortSignal): Promise<void> => {
    leaving.throwIfAborted()
    if (!isBusy) {
      isBusy = true
      return
    }
    const turn = Promise.withResolvers<void>()
    const giveUp = (): void => {
      const at = waiting.indexOf(turn.resolve)
      // Called already: its turn passes by itself, and whoever starts it sees that it is to leave.
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
      let hasPassed = false
      const cancel = clock.after(LONGEST_START_MS, () => {
        hasPassed = true
        next()
      })
      try {
        return await start()
      } finally {
        cancel()
        if (!hasPassed) clock.after(APART_MS, next)
      }
    },
  }
}
