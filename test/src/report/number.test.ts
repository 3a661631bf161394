import { describe, expect, it } from 'vitest'
import { axisNumber, changeOf, exactNumber, shortNumber } from '../../../src/report/number.ts'

describe('numbers', () => {
  it.each([
    [0, '元', '0 元'],
    [99_999.5, '元', '99,999.5 元'],
    [100_000, '元', '10 万元'],
    [1_284_500.5, '元', '128.45 万元'],
    [-1_284_500.5, '元', '-128.45 万元'],
    [123_456_789, '元', '1.23 亿元'],
    [176, '单', '176 单'],
    [0.356, '%', '35.6%'],
    [-0.000001, '元', '0 元'],
  ])('%d %s is %s in Chinese', (value, unit, shown) => {
    expect(shortNumber(value, { locale: 'zh-CN', unit })).toBe(shown)
  })

  it.each([
    [99_999, 'CNY', '99,999 CNY'],
    [1_284_500, 'CNY', '1.28M CNY'],
    [120_000, undefined, '120k'],
  ])('%d %s is %s in English', (value, unit, shown) => {
    expect(shortNumber(value, { locale: 'en', ...(unit !== undefined && { unit }) })).toBe(shown)
  })

  it('tables show every digit, axes as few as possible', () => {
    expect(exactNumber(1_284_500.5, { locale: 'zh-CN', unit: '元' })).toBe('1,284,500.5')
    expect([axisNumber(150_000, 'zh-CN'), axisNumber(9_999, 'zh-CN')]).toEqual(['15万', '9,999'])
  })

  it('a change from zero has no percentage', () => {
    expect([changeOf(112, 100, 'zh-CN'), changeOf(90, 100, 'zh-CN'), changeOf(1, 0, 'zh-CN')]).toEqual([
      '+12%',
      '-10%',
      undefined,
    ])
    expect(changeOf(-50, -100, 'zh-CN')).toBe('+50%')
  })
})
