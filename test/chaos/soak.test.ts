import { expect, it } from 'vitest'
import { runSoak } from './soak.ts'

it('R36: half a minute at a high rate leaves no handle, process or temporary file behind, and loses nothing', {
  timeout: 240_000,
}, async () => {
  const { faults, counts, trends } = await runSoak({ minutes: 0.5, groups: 3, say: () => {} })
  expect(faults).toEqual([])
  expect(counts['answered']).toBeGreaterThan(10)
  // Memory has not settled by then; the command looks at it over twenty.
  const uneven = trends.filter(({ measure, isFlat }) => measure !== 'memoryMb' && !isFlat)
  expect(uneven).toEqual([])
})
