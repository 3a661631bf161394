import { describe, expect, it } from 'vitest'
import { atMost, quantile, ratioRow } from './row.ts'

const SHAPE = ['name', 'value', 'unit', 'baseline', 'ratio', 'target', 'ok']

describe('a row of the bench', () => {
  it('has the same keys whichever way it was measured', () => {
    const figures = { value: 12, baseline: 10, ratio: 1.2, unit: 'µs' }
    for (const row of [atMost('x', 1, 'ms', 2), ratioRow('y', figures, { atMost: 1.7 })])
      expect(Object.keys(row).sort()).toEqual([...SHAPE].sort())
  })

  it('holds the gate at its bound and fails beyond it', () => {
    const ratio = (value: number, gate: { atMost: number } | { atLeast: number }) =>
      ratioRow('x', { value, baseline: 1, ratio: value, unit: '' }, gate).ok
    expect([atMost('x', 2, 'ms', 2).ok, atMost('x', 2.1, 'ms', 2).ok]).toEqual([true, false])
    expect([ratio(1.7, { atMost: 1.7 }), ratio(1.8, { atMost: 1.7 })]).toEqual([true, false])
    expect([ratio(0.5, { atLeast: 0.5 }), ratio(0.4, { atLeast: 0.5 })]).toEqual([true, false])
    expect(atMost('x', Number.NaN, 'ms', 2).ok).toBe(false)
  })

  it('takes quantiles by rank', () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index)
    expect([quantile(values, 0.5), quantile(values, 0.99), quantile([7], 0.99)]).toEqual([51, 100, 7])
  })
})
