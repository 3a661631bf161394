import { describe, expect, it } from 'vitest'
import { createOutputWindow, readable } from '../../../src/sandbox/output.ts'

const window = (limit: number, ...chunks: (string | Buffer)[]): { text: string; omitted: number } => {
  const kept = createOutputWindow(limit)
  for (const chunk of chunks) kept.add(Buffer.from(chunk))
  return kept.read()
}

describe('the output window', () => {
  it('gives a short stream back whole, whatever its chunks', () => {
    expect(window(10, 'ab', 'cdefg', 'hij')).toEqual({ text: 'abcdefghij', omitted: 0 })
  })

  it('keeps head and tail of a long one and counts what lies between', () => {
    const { text, omitted } = window(10, 'head!', 'x'.repeat(1_000), 'tail!')
    expect(text).toBe('head!\n… 1000 bytes left out …\ntail!')
    expect(omitted).toBe(1_000)
  })

  it('S13: never shows half a character at a cut', () => {
    for (let limit = 8; limit < 24; limit++) {
      const { text } = window(limit, '汉字🎉汉字🎉'.repeat(20))
      expect(text).not.toContain('\ufffd')
    }
  })

  it('a character that arrives in two chunks stays whole', () => {
    const bytes = Buffer.from('汉')
    expect(window(100, bytes.subarray(0, 1), bytes.subarray(1)).text).toBe('汉')
  })
})

describe('S13: readable', () => {
  it.each([
    ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
    ['hyperlinks (OSC 8)', '\u001b]8;;http://evil\u001b\\text\u001b]8;;\u0007', 'text'],
    ['clipboard writes (OSC 52)', 'a\u001b]52;c;ZXZpbA==\u0007b', 'ab'],
    ['8-bit sequences', 'a\u009b31mb', 'ab'],
    ['progress that overwrites itself', '10%\r50%\r100%\ndone\r\n', '100%\ndone\n'],
    ['NUL, bell and backspace', 'a\u0000\u0007\u0008b\tc', 'ab\tc'],
  ])('removes %s', (_name, raw, shown) => {
    expect(readable(raw)).toBe(shown)
  })
})
