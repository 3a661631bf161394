import { describe, expect, it } from 'vitest'
import { plainText } from '../../../../src/workbench/terminals/plain-text.ts'

describe('plainText', () => {
  it.each([
    ['colours go', '\x1b[31mred\x1b[0m plain', 'red plain'],
    ['a title goes', '\x1b]0;user@host\x07$ ', '$'],
    ['a title without an end goes', 'a\x1b]0;never', 'a'],
    ['line ends of a terminal become line ends', 'one\r\ntwo\r\n', 'one\ntwo\n'],
    ['a progress line shows its last state', ' 10%\r 50%\r100%', '100%'],
    ['a shorter line leaves the rest of the longer one', 'abcdef\rXY', 'XYcdef'],
    ['erasing to the end counts', 'abcdef\rXY\x1b[K', 'XY'],
    ['erasing the whole line counts', 'abcdef\x1b[2K\rxy', 'xy'],
    ['backspaces overwrite', 'lsx\b\x1b[K -l', 'ls -l'],
    ['the cursor moves', 'ac\x1b[1Db', 'ab'],
    ['a column is absolute', 'abc\x1b[2GX', 'aXc'],
    ['characters are deleted and inserted', 'abcd\r\x1b[2P\x1b[@', ' cd'],
    ['a cleared screen begins a new line', 'old\x1b[2J\x1b[Hnew', 'old\nnew'],
    ['tabs go to the next stop', 'a\tb', 'a       b'],
    ['bells and other codes go', 'a\x07b\x00c\x7f\x9bd', 'abcd'],
    ['characters outside the first plane stay whole', '😀字\b😀', '😀😀'],
    ['bracketed paste goes', '\x1b[?2004h$ ls\x1b[?2004l\r\nx', '$ ls\nx'],
  ])('%s', (_what, raw, shown) => {
    expect(plainText(raw)).toBe(shown)
  })

  it('bounds how far a program can move', () => {
    expect(plainText('\x1b[999999999Cx').length).toBeLessThanOrEqual(1_001)
  })
})
