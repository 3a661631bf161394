/** Lets at most `count` pieces of work run at a time; the others wait in order. */
export interface Semaphore {
  /** Runs `work` as soon as a place is free; releases the place when it settles. */
  take<T>(work: () => Promise<T>): Promise<T>
}

/** @param count how many pieces of work may run at a time */
export function createSemaphore(count: number): Semaphore {
  let free = count
  const waiting: (() => void)[] = []
  return {
    take: async (work) => {
      if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve))
      else free--
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else free++
      }
    },
  }
}
