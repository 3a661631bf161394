import { describe, expect, it } from 'vitest'
import { createEmbeddedQueue } from '../../../src/queue/embedded.ts'
import { createCollectingLogger } from '../../support/logger.ts'

/** Work that a test lets end by hand. */
function workshop() {
  const begun: string[] = []
  const open = new Map<string, () => void>()
  return {
    begun,
    handler: (sessionId: string) => {
      begun.push(sessionId)
      return new Promise<'done'>((resolve) => open.set(sessionId, () => resolve('done')))
    },
    finish: async (sessionId: string) => {
      open.get(sessionId)?.()
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

describe('createEmbeddedQueue', () => {
  it('R25: works on a session once at a time, and again when it was woken meanwhile', async () => {
    const queue = createEmbeddedQueue(createCollectingLogger())
    const { begun, handler, finish } = workshop()
    queue.consume(handler, 4)
    for (let count = 0; count < 3; count++) await queue.wake('a')
    expect(begun).toEqual(['a'])
    await finish('a')
    expect(begun).toEqual(['a', 'a'])
    await finish('a')
    expect(begun).toEqual(['a', 'a'])
  })

  it('T6: a session that is woken all the time lets the others have their turn', async () => {
    const queue = createEmbeddedQueue(createCollectingLogger())
    const { begun, handler, finish } = workshop()
    queue.consume(handler, 1)
    await queue.wake('flood')
    for (const id of ['flood', 'b', 'c', 'flood']) await queue.wake(id)
    for (const id of ['flood', 'b', 'c', 'flood']) await finish(id)
    expect(begun).toEqual(['flood', 'b', 'c', 'flood'])
  })

  it('works on so many sessions at once, and no more', async () => {
    const queue = createEmbeddedQueue(createCollectingLogger())
    const { begun, handler, finish } = workshop()
    queue.consume(handler, 2)
    for (const id of ['a', 'b', 'c']) await queue.wake(id)
    expect(begun).toEqual(['a', 'b'])
    await finish('b')
    expect(begun).toEqual(['a', 'b', 'c'])
  })

  it('keeps what is woken before anybody works', async () => {
    const queue = createEmbeddedQueue(createCollectingLogger())
    const { begun, handler } = workshop()
    await queue.wake('a')
    expect(begun).toEqual([])
    queue.consume(handler, 1)
    expect(begun).toEqual(['a'])
  })

  it('a session that fails is reported, and holds nobody up', async () => {
    const logger = createCollectingLogger()
    const queue = createEmbeddedQueue(logger)
    const begun: string[] = []
    queue.consume(async (id) => {
      begun.push(id)
      throw new Error('broken')
    }, 1)
    await queue.wake('a')
    await queue.wake('b')
    await new Promise((resolve) => setImmediate(resolve))
    expect(begun).toEqual(['a', 'b'])
    expect(logger.lines.map(({ fields }) => fields.sessionId)).toEqual(['a', 'b'])
  })

  it('R28: draining waits for what runs, and begins nothing more', async () => {
    const queue = createEmbeddedQueue(createCollectingLogger())
    const { begun, handler, finish } = workshop()
    const consumer = queue.consume(handler, 1)
    await queue.wake('a')
    await queue.wake('b')
    let drained = false
    const end = consumer.drain().then(() => {
      drained = true
    })
    expect(drained).toBe(false)
    await finish('a')
    await end
    expect(begun).toEqual(['a'])
    await queue.close()
  })
})
