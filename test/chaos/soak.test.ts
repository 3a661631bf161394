import { expect, it } from 'vitest'
import { runSoak } from './soak.ts'

/**
 * More groups rather than faster people: WeCom takes thirty messages a minute in a chat, and the queue before
 * that limit takes minutes to go.
 */
const GROUPS = 5
const PAUSE_MS = 6_000

it('R36: half a minute of many people at once leaves no handle, process or temporary file behind, and loses nothing', {
  timeout: 240_000,
}, async () => {
  const { faults, counts, trends } = await runSoak({
    minutes: 0.5,
    groups: GROUPS,
    thinkMs: PAUSE_MS,
    say: () => {},
  })
  expect(faults).toEqual([])
  const answered = counts['answered'] ?? 0
  expect(answered).toBeGreaterThan(50)
  // Memory has not settled by then; the command looks at it over twenty minutes. Handles swing with what else the
  // machine does by half a dozen: what one message in ten leaves behind is more than that.
  const uneven = trends.filter(
    ({ measure, isFlat, rise }) => measure !== 'memoryMb' && !isFlat && rise > answered / 10,
  )
  expect(uneven).toEqual([])
})
