/** R28: a stop takes at most 25 seconds, whoever does not answer, and what it leaves behind is not lost. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { messageEvent } from '../gateway/stage.ts'
import { type Lodger, moveIn } from './lodger.ts'

const GRACE_MS = 20_000

let house: Lodger
let next: Lodger | undefined
beforeEach(async () => {
  house = await moveIn('first')
  house.consumer = await house.house.start(4)
})
afterEach(async () => {
  await next?.close()
  next = undefined
  await house.close()
})

/** Stops the house; resolves with the seconds that the stop took on its clock. */
async function stop(): Promise<number> {
  const { clock, consumer } = house
  if (!consumer) throw new Error('the house was stopped before')
  house.consumer = undefined
  const before = clock.monotonic()
  let end: number | undefined
  void house.house.stop(consumer, GRACE_MS).then(() => (end = clock.monotonic()))
  for (let second = 0; end === undefined && second < 60; second++) await clock.advance(1_000)
  return ((end ?? Number.POSITIVE_INFINITY) - before) / 1_000
}

const say = async (text: string): Promise<void> => {
  await house.adapter.received?.(messageEvent({ text, mentionsBot: true }))
  await house.clock.advance(0)
}

describe('R28: a platform that never answers', () => {
  it('holds a stop up for less than 25 seconds, while a run waits for it', async () => {
    house.adapter.pause()
    await say('你好')
    await vi.waitFor(() => expect(house.adapter.calls).not.toEqual([]))
    expect(await stop()).toBeLessThan(25)
  })

  it('leaves words that had no turn to the next start, which says them once', async () => {
    // The first message never gets an answer, so that the second one never leaves.
    house.adapter.pause()
    await say('/whoami')
    await say('/whoami')
    expect(await stop()).toBeLessThan(25)
    expect(house.adapter.calls).toHaveLength(1)
    next = await moveIn('next', house.store.dataDir)
    next.consumer = await next.house.start(4)
    await next.clock.advance(0)
    await vi.waitFor(async () => expect(await states()).toEqual(['unknown', 'sent']))
    expect(next.adapter.calls).toHaveLength(1)
  })
})

describe('R28: a file that never comes', () => {
  it('does not hold a stop up', async () => {
    house.adapter.onDownload = () => new Promise(() => {})
    await house.adapter.received?.(
      messageEvent({ mentionsBot: true, attachments: [{ kind: 'file', name: 'a.txt', handle: {} }] }),
    )
    await house.clock.advance(0)
    expect(await stop()).toBeLessThan(25)
  })
})

const states = async (): Promise<string[]> => {
  const rows = await house.store.db.selectFrom('outbox').select('state').orderBy('id').execute()
  return rows.map(({ state }) => state)
}
