import { expect, it } from 'vitest'
import type { Seed } from '../../../adapters/wecom/bubble.ts'
import { type BubbleBook, createBubbleBook } from '../../../adapters/wecom/bubble-book.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import { createManualClock, type ManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { liveOf } from './house.ts'

const HOUR_MS = 3_600_000
const seed: Seed = {
  ...{ key: 'l-1', part: 0, reqId: 'r', chatId: 'c', base: 0, digest: '', tried: undefined },
}

function openBook(): { book: BubbleBook; clock: ManualClock } {
  const clock = createManualClock()
  const book = createBubbleBook({
    ...{ clock, logger: createCollectingLogger(), text: createTranslate('zh-CN') },
    ...{ windowMs: 335_000, maxBytes: 20_480 },
    sendFrame: async () => {},
    push: async () => ({ messageId: 'pushed', handle: {} }),
  })
  return { book, clock }
}

it.each([
  ['frozen for a card, after which its run goes on elsewhere', true],
  ['frozen when its window closed', false],
])('a bubble %s is not kept for ever', async (_how, forCard) => {
  const { book, clock } = openBook()
  const bubble = book.start(seed)
  Object.assign(bubble, { mayStand: true, live: liveOf('先看').live })
  if (forCard) await book.freeze(bubble)
  await clock.advance(HOUR_MS - 60_000)
  expect(book.newest('l-1')).toBe(bubble)
  await clock.advance(HOUR_MS)
  expect(book.newest('l-1')).toBeUndefined()
  expect(clock.pending()).toBe(0)
})

it('what goes on in another bubble is kept', async () => {
  const { book, clock } = openBook()
  const bubble = book.start(seed)
  Object.assign(bubble, { mayStand: true, live: liveOf('先看').live })
  await book.freeze(bubble)
  await clock.advance(HOUR_MS - 60_000)
  const next = book.next(bubble, liveOf('先看，再说').live)
  await clock.advance(120_000)
  expect(book.newest('l-1')).toBe(next)
})
