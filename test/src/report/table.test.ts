import { describe, expect, it } from 'vitest'
import { exactSum, groupSum, numberOf, reduceColumn } from '../../../src/report/table.ts'

const table = {
  columns: ['部门', '金额'],
  rows: [
    ['华东', '1,000.10'],
    ['华南', 200],
    ['华东', null],
    ['华东', '待定'],
    ['华南', 0.2],
  ],
}

describe('tables', () => {
  it.each([
    ['1,234.50', 1234.5],
    ['￥12', 12],
    ['１２．５', 12.5],
    ['35%', 0.35],
    ['-3', -3],
    ['12元', 12],
    ['1,23', undefined],
    ['12a', undefined],
    ['', undefined],
    ['=1+1', undefined],
    [true, undefined],
    [Number.NaN, undefined],
  ])('%j counts as %s', (cell, value) => {
    expect(numberOf(cell)).toBe(value)
  })

  it('what is not a number is left out and counted', () => {
    expect(reduceColumn(table, '金额', 'sum', 'x')).toEqual({ value: 1200.3, skipped: 2 })
    expect(reduceColumn(table, '金额', 'count', 'x')).toEqual({ value: 4, skipped: 0 })
    expect(reduceColumn({ ...table, rows: [] }, '金额', 'sum', 'x')).toEqual({ value: undefined, skipped: 0 })
  })

  it('sums of money do not drift', () => {
    expect(exactSum(Array.from({ length: 100_000 }, () => 0.1))).toBeCloseTo(10_000, 9)
    expect(exactSum([1e16, 1, -1e16])).toBe(1)
  })

  it('groups in order of appearance; a group without numbers is a gap', () => {
    expect(groupSum(table, '部门', ['金额'], 'x')).toEqual([
      { label: '华东', values: [1000.1] },
      { label: '华南', values: [200.2] },
    ])
    expect(groupSum({ columns: ['a', 'b'], rows: [['x', null]] }, 'a', ['b'], 'x')).toEqual([
      { label: 'x', values: [undefined] },
    ])
  })

  it('a wrong column is refused with the place and the columns there are', () => {
    expect(() => reduceColumn(table, '全额', 'sum', 'figures[0]')).toThrow(
      expect.objectContaining({
        code: 'report.unknown_column',
        params: { place: 'figures[0]', column: '全额', columns: '部门、金额' },
      }),
    )
  })
})
