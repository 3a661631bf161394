import { describe, expect, it } from 'vitest'
import { createCallScheduler } from '../../../src/outbound/scheduler.ts'
import { createManualClock } from '../../support/clock.ts'

const app = { name: 'app', limits: [{ calls: 3, perMs: 1_000 }] }

describe('call scheduler', () => {
  it('starts calls up to the limit and the rest when the window moves on', async () => {
    const clock = createManualClock()
    const scheduler = createCallScheduler(clock)
    const started: number[] = []
    for (let i = 0; i < 7; i++) {
      void scheduler.run({ buckets: [app], priority: 'low', lane: 'a' }, async () =>
        started.push(clock.monotonic()),
      )
    }
    await clock.advance(2_500)
    expect(started).toEqual([0, 0, 0, 1_000, 1_000, 1_000, 2_000])
  })

  it('lets high calls pass and low lanes take turns', async () => {
    const clock = createManualClock()
    const scheduler = createCallScheduler(clock)
    const order: string[] = []
    const call = (lane: string, priority: 'high' | 'low') =>
      void scheduler.run(
        { buckets: [{ name: 'one', limits: [{ calls: 1, perMs: 100 }] }], priority, lane },
        async () => order.push(`${lane}:${priority}`),
      )
    for (let i = 0; i < 3; i++) call('loud', 'low')
    call('quiet', 'low')
    call('final', 'high')
    await clock.advance(1_000)
    expect(order).toEqual(['loud:low', 'final:high', 'loud:low', 'quiet:low', 'loud:low'])
  })

  it('spreads low calls over a window that is a budget, and always has room for high ones', async () => {
    const clock = createManualClock()
    const scheduler = createCallScheduler(clock)
    const minute = {
      name: 'api',
      limits: [
        { calls: 50, perMs: 1_000 },
        { calls: 1_000, perMs: 60_000 },
      ],
    }
    const low: number[] = []
    const card = (lane: string): void =>
      void scheduler
        .run({ buckets: [minute], priority: 'low', lane }, async () => low.push(clock.monotonic()))
        .then(() => card(lane))
    for (let lane = 0; lane < 20; lane++) card(`card ${lane}`)
    let waited = 0
    for (let second = 1; second <= 120; second++) {
      await clock.advance(1_000)
      const askedAt = clock.monotonic()
      const final = scheduler.run({ buckets: [minute], priority: 'high', lane: 'final' }, async () => {
        waited = Math.max(waited, clock.monotonic() - askedAt)
      })
      if (second % 10 === 0) await final
    }
    const gaps = low.slice(101).map((at, index) => at - (low[index + 100] ?? 0))
    expect(waited).toBe(0)
    expect(Math.max(...gaps)).toBeLessThan(150)
    expect(low.length).toBeGreaterThan(1_600)
  }, 60_000)

  it('holds a bucket as long as the platform asked for', async () => {
    const clock = createManualClock()
    const scheduler = createCallScheduler(clock)
    const started: number[] = []
    scheduler.hold('app', 2_000)
    void scheduler.run({ buckets: [app], priority: 'high', lane: 'a' }, async () =>
      started.push(clock.monotonic()),
    )
    await clock.advance(3_000)
    expect(started).toEqual([2_000])
  })

  it('gives up a waiting call when its signal aborts', async () => {
    const clock = createManualClock()
    const scheduler = createCallScheduler(clock)
    scheduler.hold('app', 10_000)
    const controller = new AbortController()
    const waiting = scheduler.run(
      { buckets: [app], priority: 'low', lane: 'a', signal: controller.signal },
      async () => 'ran',
    )
    controller.abort(new Error('stopped'))
    await expect(waiting).rejects.toThrow('stopped')
    await clock.advance(20_000)
  })

  it('passes on the result and the error of the call', async () => {
    const scheduler = createCallScheduler(createManualClock())
    const request = { buckets: [], priority: 'low' as const, lane: 'a' }
    await expect(scheduler.run(request, async () => 7)).resolves.toBe(7)
    await expect(scheduler.run(request, async () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  })
})
