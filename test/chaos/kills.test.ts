import { expect, it } from 'vitest'
import { runKills } from './kills.ts'

/** So seldom that no group comes to WeCom's limit, after which everybody would wait for a minute. */
const PAUSE_MS = 3_000

it('R1, R2, R22: killed at random moments under load, both platforms lose nothing and double nothing', {
  timeout: 300_000,
}, async () => {
  const seed = String(Date.now())
  const { faults, counts } = await runKills({ count: 5, seed, groups: 3, thinkMs: PAUSE_MS, say: () => {} })
  expect(faults, `seed ${seed}`).toEqual([])
  expect(counts['answered']).toBeGreaterThan(0)
})
