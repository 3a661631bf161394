import { describe, expect, it } from 'vitest'
import { backoffMs } from '../../../src/outbound/backoff.ts'

const random = (float: number) => ({ id: () => '', float: () => float })

describe('backoffMs', () => {
  it.each([
    [1, 1_000],
    [2, 2_000],
    [6, 32_000],
    [7, 60_000],
    [1_000, 60_000],
  ])('the wait before repeat %i is about %i ms', (attempt, expected) => {
    expect(backoffMs(attempt, random(0.5))).toBe(expected)
  })

  it('strays by a fifth, so that many do not come back at once', () => {
    expect([backoffMs(1, random(0)), backoffMs(1, random(1))]).toEqual([800, 1_200])
  })
})
