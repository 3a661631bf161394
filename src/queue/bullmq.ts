/**
 * Wake-ups over Redis, for several processes on one database. BullMQ holds at most one job per session; a wake-up
 * that arrives while the session is being handled queues it again afterwards. Redis holds no state that matters:
 * what it refuses is handled in this process, what it loses is found by the sweeper.
 */
import { createHash } from 'node:crypto'
import type { Queue as BullQueue, Worker as BullWorker, Job } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Clock, Logger } from '../protocol/ports.ts'
import { createEmbeddedQueue } from './embedded.ts'
import type { Consumer, Handled, Handler, Queue } from './queue.ts'

/** How long a wake-up may wait for Redis before it is worked on in this process. */
const COMMAND_MS = 1_000
const RECONNECT_MS = 1_000
/** A worker that was frozen this long has lost its job to another; its lease (30 s) was lost before. */
const LOCK_MS = 60_000
/** Delay before a session that only another process can handle is queued again, milliseconds. */
const PASS_ON_MS = 250

const NAME = 'yizhan-sessions'

interface Wake {
  readonly sessionId: string
}

export interface BullQueueOptions {
  /** `redis://…`; Redis 6.2 or newer. */
  readonly url: string
  readonly clock: Clock
  readonly logger: Logger
}

/** Resolves at once, whether Redis is there or not. */
export async function createBullQueue({ url, clock, logger }: BullQueueOptions): Promise<Queue> {
  const [{ Queue: Line, Worker, DelayedError }, { Redis: Client }] = await Promise.all([
    import('bullmq'),
    import('ioredis'),
  ])
  const outage = createOutage(logger)
  const connect = (options: { maxRetriesPerRequest: number | null }): Redis => {
    const redis = new Client(url, {
      ...options,
      ...(options.maxRetriesPerRequest === null ? {} : { commandTimeout: COMMAND_MS }),
      retryStrategy: () => RECONNECT_MS,
    })
    return redis
  }
  const producer = connect({ maxRetriesPerRequest: 0 })
  const line: BullQueue<Wake> = new Line(NAME, { connection: producer, skipWaitingForReady: true })
  // Only this connection reports outages; the others fail and recover with it.
  producer.on('error', outage.saw)
  producer.on('ready', outage.over)
  line.on('error', outage.saw)
  const local = createEmbeddedQueue(logger)
  const workers: { worker: BullWorker<Wake>; redis: Redis }[] = []

  const working = (handler: Handler) => async (job: Job<Wake>, token?: string) => {
    const { sessionId } = job.data
    const done = await handler(sessionId).catch((error: unknown): Handled => {
      logger.error({ sessionId, error }, 'a session could not be worked on; the sweeper will try again')
      return 'done'
    })
    if (done === 'done') return
    await job.moveToDelayed(clock.now() + PASS_ON_MS, token)
    throw new DelayedError()
  }

  return {
    wake: async (sessionId) => {
      if (outage.isAway() && producer.status !== 'ready') return local.wake(sessionId)
      try {
        await line.add('wake', { sessionId }, jobOptions(sessionId))
        outage.over()
      } catch (error) {
        outage.saw(error)
        await local.wake(sessionId)
      }
    },
    consume: (handler, concurrency): Consumer => {
      const here = local.consume(handler, concurrency)
      if (concurrency === 0) return here
      const redis = connect({ maxRetriesPerRequest: null })
      const worker: BullWorker<Wake> = new Worker(NAME, working(handler), {
        connection: redis,
        concurrency,
        lockDuration: LOCK_MS,
      })
      const quiet = (error: unknown): void => logger.debug({ error }, 'a connection to Redis')
      redis.on('error', quiet)
      worker.on('error', quiet)
      workers.push({ worker, redis })
      return {
        drain: async () => {
          await Promise.all([here.drain(), worker.close()])
        },
      }
    },
    close: async () => {
      for (const { worker, redis } of workers) {
        await worker.close(true)
        redis.disconnect()
      }
      await line.close()
      producer.disconnect()
      await local.close()
    },
  }
}

function jobOptions(sessionId: string) {
  const id = createHash('sha256').update(sessionId).digest('base64url')
  return { deduplication: { id, keepLastIfActive: true }, removeOnComplete: true, removeOnFail: true }
}

/** Says once that Redis is away, and once that it is back. */
function createOutage(logger: Logger): { isAway(): boolean; saw(error: unknown): void; over(): void } {
  let away = false
  return {
    isAway: () => away,
    saw: (error) => {
      if (away) return
      away = true
      logger.warn({ error }, 'Redis cannot be reached; this process works on what it receives by itself')
    },
    over: () => {
      if (away) logger.info({}, 'Redis is back')
      away = false
    },
  }
}
