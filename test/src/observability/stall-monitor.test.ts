import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createMetrics } from '../../../src/observability/metrics.ts'
import { createStallMonitor } from '../../../src/observability/stall-monitor.ts'
import { createSystemClock } from '../../../src/system/clock.ts'
import { createManualClock } from '../../support/clock.ts'

it('R35: a hold of the event loop is measured, and shown among the metrics', async () => {
  const stalls = createStallMonitor({ clock: createSystemClock() })
  const metrics = createMetrics()
  metrics.stalls(stalls)
  // The histogram looks every 100 ms: it must have looked once before and once after the hold.
  await new Promise((resolve) => setTimeout(resolve, 250))
  const until = performance.now() + 800
  while (performance.now() < until);
  await new Promise((resolve) => setTimeout(resolve, 250))
  expect(stalls.loopMs()).toBeGreaterThan(500)
  const { text } = await metrics.text()
  expect(Number(/^yizhan_event_loop_hold_seconds (.*)$/m.exec(text)?.[1])).toBeGreaterThan(0.5)
})

it('R35: a hold is seen for at least one window, then forgotten', async () => {
  const clock = createManualClock()
  const histogram = {
    max: 0,
    reset: () => {
      histogram.max = 0
    },
  }
  const stalls = createStallMonitor({ clock, histogram })
  histogram.max = 900e6
  expect(stalls.loopMs()).toBe(800)
  await clock.advance(10_000)
  expect(stalls.loopMs()).toBe(800)
  await clock.advance(10_000)
  expect(stalls.loopMs()).toBe(0)
  histogram.max = 900e6
  stalls.forget()
  expect(stalls.loopMs()).toBe(0)
})

it('R35, M15: reads that hang in pipes fill the thread pool, and that is noticed', async () => {
  const pipe = join(mkdtempSync(join(tmpdir(), 'yizhan-stalls-')), 'pipe')
  execFileSync('/usr/bin/mkfifo', [pipe])
  const stalls = createStallMonitor({ clock: createSystemClock() })
  expect(await stalls.poolMs()).toBeLessThan(500)
  const stuck = Array.from({ length: 4 }, () => readFile(pipe))
  try {
    expect(await stalls.poolMs()).toBeGreaterThan(500)
  } finally {
    // A writer that comes and goes ends every read.
    closeSync(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK))
    await Promise.all(stuck)
  }
})
