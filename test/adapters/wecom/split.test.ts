import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutPoint, openFence, splitMarkdown } from '../../../adapters/wecom/split.ts'

describe('splitMarkdown', () => {
  it('wecom 10: Chinese text is cut under the limit without broken characters, and nothing is lost', () => {
    const text = '驿站𠮷'.repeat(5_000)

    const parts = splitMarkdown(text, 20_480)

    expect(parts.length).toBeGreaterThan(2)
    for (const part of parts) expect(Buffer.byteLength(part)).toBeLessThanOrEqual(20_480)
    expect(parts.join('')).toBe(text)
  })

  it('closes a code fence at the cut and opens it again with its language', () => {
    const code = Array.from({ length: 20 }, (_, index) => `line ${index}`).join('\n')

    const [first = '', second = ''] = splitMarkdown(`\`\`\`ts\n${code}\n\`\`\``, 120)

    expect(first.endsWith('\n```')).toBe(true)
    expect(second.startsWith('```ts\n')).toBe(true)
    expect(openFence(first)).toBeUndefined()
  })

  it('never exceeds the limit and never cuts a character, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 400 }),
        fc.integer({ min: 40, max: 90 }),
        (text, limit) => {
          for (const part of splitMarkdown(text, limit)) {
            expect(Buffer.byteLength(part)).toBeLessThanOrEqual(limit)
            expect(part.isWellFormed()).toBe(true)
          }
        },
      ),
    )
  })

  it('prefers the end of a line', () => {
    expect('one two\nthree four'.slice(0, cutPoint('one two\nthree four', 12))).toBe('one two\n')
  })
})
