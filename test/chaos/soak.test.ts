import { expect, it } from 'vitest'
import { runSoak } from './soak.ts'

it('R36: a minute at a high rate leaves no handle, process or temporary file behind, and loses nothing', {
  timeout: 240_000,
}, async () => {
  const { faults, counts, trends } = await runSoak({ minutes: 1, groups: 3, say: () => {} })
  expect(faults).toEqual([])
  expect(counts['answered']).toBeGreaterThan(20)
  // Memory has not settled after a minute; the command looks at it over twenty.
  const uneven = trends.filter(({ measure, isFlat }) => measure !== 'memoryMb' && !isFlat)
  expect(uneven).toEqual([])
})
