import { expect, it } from 'vitest'
import { runStorm } from './storm.ts'

it('R26: a thousand events a second are all stored and acknowledged in time, in bounded memory', {
  timeout: 120_000,
}, async () => {
  const storm = await runStorm({ seconds: 4, perSecond: 1_000, say: () => {} })
  expect(storm).toMatchObject({ sent: 4_000, refused: 0 })
  expect(storm.p99).toBeLessThan(1_000)
  // The command of a minute shows that it stays there.
  expect(storm.mostMb - storm.warmMb).toBeLessThan(100)
})
