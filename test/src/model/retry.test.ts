import { describe, expect, it } from 'vitest'
import { DEFAULT_RETRY, retryDelay } from '../../../src/model/retry.ts'
import { AppError } from '../../../src/protocol/errors.ts'

const random = (float: number) => ({ id: () => '', float: () => float })
const busy = new AppError('model.unavailable', 'x', { retryable: true })
const delay = (attempt: number, elapsed: number, error = busy, float = 0.5): number | undefined =>
  retryDelay(error, attempt, elapsed, DEFAULT_RETRY, random(float))

describe('retry', () => {
  it('R17: doubles the wait, with a quarter of jitter either way, up to 30 s', () => {
    expect([1, 2, 3, 4].map((attempt) => delay(attempt, 0))).toEqual([1_000, 2_000, 4_000, 8_000])
    expect(delay(1, 0, busy, 0)).toBe(750)
    expect(delay(1, 0, busy, 0.999)).toBe(1_250)
    expect(retryDelay(busy, 9, 0, { ...DEFAULT_RETRY, attempts: 20 }, random(0.5))).toBe(30_000)
  })

  it('R17: stops after five tries, at the total budget, and for what does not pass by itself', () => {
    expect(delay(5, 0)).toBeUndefined()
    expect(delay(1, 179_500)).toBeUndefined()
    expect(delay(1, 0, new AppError('model.auth', 'x'))).toBeUndefined()
  })

  it('R17: takes Retry-After as it is', () => {
    const told = new AppError('model.rate_limited', 'x', { retryable: true, retryAfterMs: 45_000 })
    expect(delay(1, 0, told)).toBe(45_000)
    expect(delay(1, 140_000, told)).toBeUndefined()
  })
})
