import { expect, it } from 'vitest'
import { GIVEN_UP, withinGrace } from '../../../src/protocol/grace.ts'
import { createManualClock } from '../../support/clock.ts'

const never = new Promise<never>(() => {})

it('what ends in time is its own end, a rejection too', async () => {
  const clock = createManualClock()
  expect(await withinGrace(Promise.resolve('done'), { ms: 1, clock })).toBe('done')
  await expect(withinGrace(Promise.reject(new Error('broken')), { ms: 1, clock })).rejects.toThrow('broken')
})

it('what does not end is given up when its time is over, not before', async () => {
  const clock = createManualClock()
  let said: unknown
  void withinGrace(never, { ms: 1_000, clock }).then((end) => (said = end))
  await clock.advance(999)
  expect(said).toBeUndefined()
  await clock.advance(1)
  expect(said).toBe(GIVEN_UP)
})

it('the time begins with the abort, also with one that came before', async () => {
  const clock = createManualClock()
  const aborter = new AbortController()
  const ends: unknown[] = []
  void withinGrace(never, { ms: 1_000, clock, after: aborter.signal }).then((end) => ends.push(end))
  await clock.advance(5_000)
  expect(ends).toEqual([])
  aborter.abort()
  void withinGrace(never, { ms: 1_000, clock, after: aborter.signal }).then((end) => ends.push(end))
  await clock.advance(1_000)
  expect(ends).toEqual([GIVEN_UP, GIVEN_UP])
})
