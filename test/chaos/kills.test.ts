import { expect, it } from 'vitest'
import { runKills } from './kills.ts'

it('R1, R2, R22: killed at random moments under load, both platforms lose nothing and double nothing', {
  timeout: 300_000,
}, async () => {
  const seed = String(Date.now())
  const { faults, counts } = await runKills({ count: 5, seed, groups: 2, say: () => {} })
  expect(faults, `seed ${seed}`).toEqual([])
  expect(counts['answered']).toBeGreaterThan(0)
})
