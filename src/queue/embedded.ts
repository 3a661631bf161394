/** The queue of a single process: a fair first-in, first-out line in which a session stands once. */
import type { Logger } from '../protocol/ports.ts'
import type { Consumer, Handler, Queue } from './queue.ts'

/** A queue in memory; what a restart loses, the sweeper finds. */
export function createEmbeddedQueue(logger: Logger): Queue {
  const line = new Set<string>()
  const running = new Set<string>()
  const again = new Set<string>()
  let consumer: { handler: Handler; concurrency: number } | undefined
  let idle: (() => void) | undefined

  const pump = (): void => {
    if (!consumer) return
    for (const sessionId of line) {
      if (running.size >= consumer.concurrency) return
      line.delete(sessionId)
      running.add(sessionId)
      void work(sessionId, consumer.handler)
    }
  }
  const work = async (sessionId: string, handler: Handler): Promise<void> => {
    try {
      await handler(sessionId)
    } catch (error) {
      logger.error({ sessionId, error }, 'a session could not be worked on; the sweeper will try again')
    }
    running.delete(sessionId)
    if (again.delete(sessionId)) line.add(sessionId)
    if (running.size === 0) idle?.()
    pump()
  }

  return {
    wake: async (sessionId) => {
      if (running.has(sessionId)) again.add(sessionId)
      else line.add(sessionId)
      pump()
    },
    consume: (handler, concurrency): Consumer => {
      consumer = { handler, concurrency }
      pump()
      return {
        drain: async () => {
          consumer = undefined
          if (running.size > 0) await new Promise<void>((resolve) => (idle = resolve))
        },
      }
    },
    close: async () => {
      consumer = undefined
      line.clear()
    },
  }
}
