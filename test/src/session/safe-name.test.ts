import { basename } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { safeName } from '../../../src/session/safe-name.ts'

describe('F10: safeName', () => {
  it.each([
    ['周报.xlsx', '周报.xlsx'],
    ['../../etc/passwd', '_.._etc_passwd'],
    ['C:\\Users\\a.txt', 'C__Users_a.txt'],
    ['.bashrc', 'bashrc'],
    ['-rf', 'rf'],
    ['a\u202etxt.exe', 'a_txt.exe'],
    ['a\nb.txt', 'a_b.txt'],
    ['name. ', 'name'],
  ])('%j becomes %j', (given, expected) => {
    expect(safeName(given, 'file')).toBe(expected)
  })

  it.each([
    [undefined, 'image', 'image.png'],
    ['', 'file', 'file.bin'],
    ['...', 'audio', 'audio.opus'],
    [' - ', 'video', 'video.mp4'],
  ] as const)('%j of kind %s is called %s', (given, kind, expected) => {
    expect(safeName(given, kind)).toBe(expected)
  })

  it('keeps the extension of a name that is too long', () => {
    const name = safeName(`${'报'.repeat(300)}.docx`, 'file')
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200)
    expect(name).toMatch(/^报+\.docx$/)
  })

  it('any name is one visible file of at most 200 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (given) => {
        const name = safeName(given, 'file')
        expect(basename(name)).toBe(name)
        expect(name).not.toMatch(/^[.-]|[\p{Cc}\p{Cf}/\\]/u)
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200)
        expect(name.length).toBeGreaterThan(0)
      }),
      { numRuns: 5_000, seed: 20_260_105 },
    )
  })
})
