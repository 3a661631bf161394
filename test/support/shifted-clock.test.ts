import { expect, it } from 'vitest'
import { createShiftedClock } from './shifted-clock.ts'

const MINUTE = 60_000

it('a leap fires what falls due within, in order, and leaves the rest; the wall goes on with it', async () => {
  const clock = createShiftedClock(1_000_000)
  const began = clock.monotonic()
  const fired: string[] = []
  const done = Promise.withResolvers<void>()
  clock.after(3 * MINUTE, () => done.resolve())
  clock.after(2 * MINUTE, () => fired.push('second'))
  clock.after(MINUTE, () => fired.push('first'))
  clock.after(60 * MINUTE, () => fired.push('too soon'))
  clock.after(MINUTE, () => fired.push('cancelled'))()
  clock.leap(3 * MINUTE)
  await done.promise
  expect(fired).toEqual(['first', 'second'])
  expect(clock.now()).toBeGreaterThanOrEqual(1_000_000 + 3 * MINUTE)
  expect(clock.monotonic() - began).toBeGreaterThanOrEqual(3 * MINUTE)
})

it('a jump of the wall fires nothing, and a sleep ends with its signal', async () => {
  const clock = createShiftedClock(1_000_000)
  const stopping = new AbortController()
  const asleep = clock.sleep(MINUTE, stopping.signal)
  clock.jumpTo(9_000_000)
  expect(clock.now()).toBeGreaterThanOrEqual(9_000_000)
  stopping.abort(new Error('stopped'))
  await expect(asleep).rejects.toThrow('stopped')
})
