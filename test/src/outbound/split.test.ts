import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countTables, splitMarkdown } from '../../../src/outbound/split.ts'

const limits = { markdownBytes: 300, tablesPerMessage: 2 }
const size = (text: string): number => Buffer.byteLength(text)
const fences = (text: string): number => text.split('\n').filter((line) => /^```/.test(line)).length

describe('splitMarkdown', () => {
  it('leaves a short text alone', () => {
    expect(splitMarkdown('你好\n', limits)).toEqual(['你好\n'])
  })

  it('cuts 100 KB of Chinese into pieces under the limit that join to the whole', () => {
    const text = '今天的销售额是三千元，比昨天多。'.repeat(2_200)
    const pieces = splitMarkdown(text, { markdownBytes: 28_000, tablesPerMessage: 5 })
    expect(Math.max(...pieces.map(size))).toBeLessThanOrEqual(28_000)
    expect(pieces.join('')).toBe(text)
  })

  it('closes an open code fence and opens it again with its language', () => {
    const pieces = splitMarkdown(`前言\n\`\`\`ts\n${'const a = 1\n'.repeat(60)}\`\`\`\n结尾`, limits)
    expect(pieces.length).toBeGreaterThan(2)
    for (const piece of pieces) expect(fences(piece) % 2).toBe(0)
    expect(pieces[1]).toMatch(/^```ts\n/)
  })

  it('repeats the header of a table that goes on', () => {
    const pieces = splitMarkdown(`| 名称 | 数量 |\n|---|---|\n${'| 主机 | 3 |\n'.repeat(40)}`, limits)
    expect(pieces.length).toBeGreaterThan(1)
    for (const piece of pieces) expect(piece).toMatch(/^\| 名称 \| 数量 \|\n\|---\|---\|/)
  })

  it('never holds more tables than a message may', () => {
    const table = '| a | b |\n|---|---|\n| 1 | 2 |\n\n文字\n\n'
    const pieces = splitMarkdown(table.repeat(5), { markdownBytes: 10_000, tablesPerMessage: 2 })
    expect(pieces.map(countTables)).toEqual([2, 2, 1])
  })

  it('keeps every character of any text, within the limit', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(fc.string({ unit: 'grapheme', maxLength: 120 }), fc.constant('表情😀与汉字'.repeat(30))),
        ),
        (parts) => {
          const text = parts.join('\n').replace(/[|`~-]/g, '')
          const pieces = splitMarkdown(text, limits)
          for (const piece of pieces) expect(size(piece)).toBeLessThanOrEqual(limits.markdownBytes)
          expect(pieces.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
          expect(pieces.join('').isWellFormed()).toBe(text.isWellFormed())
        },
      ),
      { numRuns: 300 },
    )
  })
})
