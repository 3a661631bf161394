import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSystemClock } from '../../../src/system/clock.ts'
import { createSystemRandom } from '../../../src/system/random.ts'

const DAY_MS = 24 * 3_600_000

describe('createSystemClock', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('R30: a wait of forty days takes forty days, although a timer of Node takes twenty-four', async () => {
    const clock = createSystemClock()
    let fired = 0
    clock.after(40 * DAY_MS, () => fired++)
    await vi.advanceTimersByTimeAsync(40 * DAY_MS - 1)
    expect(fired).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(fired).toBe(1)
  })

  it('a cancelled wait never ends, also after its first part', async () => {
    const clock = createSystemClock()
    let fired = 0
    const cancel = clock.after(40 * DAY_MS, () => fired++)
    await vi.advanceTimersByTimeAsync(30 * DAY_MS)
    cancel()
    await vi.advanceTimersByTimeAsync(30 * DAY_MS)
    expect(fired).toBe(0)
  })

  it('sleep ends with its time, or with the reason of its signal', async () => {
    const clock = createSystemClock()
    const slept = clock.sleep(1_000).then(() => 'slept')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await slept).toBe('slept')

    const aborter = new AbortController()
    const woken = clock.sleep(1_000, aborter.signal).catch((error: unknown) => error)
    aborter.abort('enough')
    expect(await woken).toBe('enough')
    await expect(clock.sleep(1, aborter.signal)).rejects.toBe('enough')
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('createSystemRandom', () => {
  it('ids are lower-case base32, of the promised length, and never the same', () => {
    const random = createSystemRandom()
    const ids = Array.from({ length: 1_000 }, () => random.id())
    expect(new Set(ids).size).toBe(1_000)
    for (const id of ids) expect(id).toMatch(/^[a-z2-7]{26}$/)
    expect(random.id(8)).toMatch(/^[a-z2-7]{13}$/)
  })
})
