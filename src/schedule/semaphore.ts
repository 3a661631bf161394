/** A fixed number of seats: work beyond it waits for one, in order. */
export interface Semaphore {
  /** Runs `work` once a seat is free; the seat is given back however it ends. */
  take<T>(work: () => Promise<T>): Promise<T>
}

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
