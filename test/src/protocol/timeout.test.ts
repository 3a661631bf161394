import { expect, it } from 'vitest'
import { TIMED_OUT, withTimeout } from '../../../src/protocol/timeout.ts'
import { createManualClock } from '../../support/clock.ts'

const never = new Promise<never>(() => {})

it('what ends in time is its own end, a rejection too', async () => {
  const clock = createManualClock()
  expect(await withTimeout(Promise.resolve('done'), { ms: 1, clock })).toBe('done')
  await expect(withTimeout(Promise.reject(new Error('broken')), { ms: 1, clock })).rejects.toThrow('broken')
})

it('what does not end is given up when its time is over, not before', async () => {
  const clock = createManualClock()
  let said: unknown
  void withTimeout(never, { ms: 1_000, clock }).then((end) => (said = end))
  await clock.advance(999)
  expect(said).toBeUndefined()
  await clock.advance(1)
  expect(said).toBe(TIMED_OUT)
})

it('the time begins with the abort, also with one that came before', async () => {
  const clock = createManualClock()
  const aborter = new AbortController()
  const ends: unknown[] = []
  void withTimeout(never, { ms: 1_000, clock, after: aborter.signal }).then((end) => ends.push(end))
  await clock.advance(5_000)
  expect(ends).toEqual([])
  aborter.abort()
  void withTimeout(never, { ms: 1_000, clock, after: aborter.signal }).then((end) => ends.push(end))
  await clock.advance(1_000)
  expect(ends).toEqual([TIMED_OUT, TIMED_OUT])
})
