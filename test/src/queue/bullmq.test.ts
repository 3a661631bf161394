import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createBullQueue } from '../../../src/queue/bullmq.ts'
import type { Handled, Queue } from '../../../src/queue/queue.ts'
import { createSystemClock } from '../../../src/system/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let redis: TestRedis
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.stop())

const logger = createCollectingLogger()
const open: Queue[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((queue) => queue.close()))
  logger.lines.length = 0
  await redis.kill()
  await redis.start()
})

/** A process's end of the line. */
async function processOf(url = redis.url): Promise<Queue> {
  const queue = await createBullQueue({ url, clock: createSystemClock(), logger })
  open.push(queue)
  return queue
}

/** Work that a test lets end by hand. */
function workshop() {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  return {
    begun,
    handler: (sessionId: string) => {
      begun.push(sessionId)
      return new Promise<Handled>((resolve) => ends.set(sessionId, () => resolve('done')))
    },
    finish: (sessionId: string) => ends.get(sessionId)?.(),
  }
}

const reach = (check: () => void) => vi.waitFor(check, { timeout: 30_000, interval: 20 })
/** What an operator sees. */
const said = (): string[] => logger.lines.map(({ level }) => level).filter((level) => level !== 'debug')
const settled = () => new Promise((resolve) => setTimeout(resolve, 300))

describe('createBullQueue', () => {
  it('R25: two processes work on a session once at a time, and again when it was woken meanwhile', async () => {
    const [a, b] = [await processOf(), await processOf()]
    const work = workshop()
    a.consume(work.handler, 4)
    b.consume(work.handler, 4)
    await a.wake('s1')
    await reach(() => expect(work.begun).toEqual(['s1']))
    for (const queue of [a, b, a]) await queue.wake('s1')
    await settled()
    expect(work.begun).toEqual(['s1'])
    work.finish('s1')
    await reach(() => expect(work.begun).toEqual(['s1', 's1']))
    work.finish('s1')
    await settled()
    expect(work.begun).toEqual(['s1', 's1'])
  })

  it('what one process receives, another works on', async () => {
    const gateway = await processOf()
    const work = workshop()
    gateway.consume(async () => 'done', 0)
    ;(await processOf()).consume(work.handler, 1)
    await gateway.wake('s1')
    await reach(() => expect(work.begun).toEqual(['s1']))
    work.finish('s1')
  })

  it('a session that only the other process can work on reaches it', async () => {
    const [a, b] = [await processOf(), await processOf()]
    const begun: string[] = []
    a.consume(async () => 'elsewhere', 1)
    b.consume(async (id) => {
      begun.push(id)
      return 'done'
    }, 1)
    for (const id of ['s1', 's2', 's3']) await a.wake(id)
    await reach(() => expect(begun.toSorted()).toEqual(['s1', 's2', 's3']))
  })

  it('R10: without Redis at the start, each process works on what it receives', async () => {
    await redis.kill()
    const queue = await processOf()
    const work = workshop()
    queue.consume(work.handler, 1)
    await queue.wake('s1')
    expect(work.begun).toEqual(['s1'])
    expect(logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(1)
    work.finish('s1')
    await redis.start()
  })

  it('R10: Redis goes away and comes back empty; nothing is held up, and it is said once each', async () => {
    const queue = await processOf()
    const begun: string[] = []
    queue.consume(async (id) => {
      begun.push(id)
      return 'done'
    }, 1)
    await queue.wake('before')
    await reach(() => expect(begun).toEqual(['before']))
    await redis.kill()
    await queue.wake('meanwhile')
    await reach(() => expect(begun).toEqual(['before', 'meanwhile']))
    await redis.start()
    await reach(() => expect(said()).toEqual(['warn', 'info']))
    await queue.wake('after')
    await reach(() => expect(begun).toEqual(['before', 'meanwhile', 'after']))
  })

  it.each([
    [
      'takes no more, for want of memory',
      ['CONFIG', 'SET', 'maxmemory', '1'],
      ['CONFIG', 'SET', 'maxmemory', '0'],
    ],
    ['became a replica that only reads', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
  ])(
    'R10: a Redis that %s holds nothing up',
    async (_what, [harm = '', ...harmed], [cure = '', ...cured]) => {
      const queue = await processOf()
      const begun: string[] = []
      queue.consume(async (id) => {
        begun.push(id)
        return 'done'
      }, 1)
      await queue.wake('before')
      await reach(() => expect(begun).toEqual(['before']))
      const client = new Redis(redis.url)
      await client.call(harm, ...harmed)
      await queue.wake('meanwhile')
      await reach(() => expect(begun).toEqual(['before', 'meanwhile']))
      await client.call(cure, ...cured)
      await queue.wake('after')
      await reach(() => expect(begun).toEqual(['before', 'meanwhile', 'after']))
      client.disconnect()
    },
  )

  it('a session that fails is reported, and holds nobody up', async () => {
    const queue = await processOf()
    const begun: string[] = []
    queue.consume(async (id) => {
      begun.push(id)
      throw new Error('broken')
    }, 1)
    await queue.wake('s1')
    await queue.wake('s2')
    await queue.wake('s1')
    await reach(() => expect(new Set(begun)).toEqual(new Set(['s1', 's2'])))
    expect(logger.lines.find(({ level }) => level === 'error')?.fields).toMatchObject({ sessionId: 's1' })
  })

  it('R28: draining waits for what runs, and leaves the rest to others', async () => {
    const [a, b] = [await processOf(), await processOf()]
    const work = workshop()
    const consumer = a.consume(work.handler, 1)
    await a.wake('s1')
    await reach(() => expect(work.begun).toEqual(['s1']))
    await a.wake('s2')
    const drained = consumer.drain()
    b.consume(work.handler, 1)
    await reach(() => expect(work.begun).toEqual(['s1', 's2']))
    work.finish('s1')
    await drained
    work.finish('s2')
  })
})
