/** Counts lines, words and characters of a text that comes in pieces. */

export interface TextCounts {
  readonly lines: number
  readonly blank_lines: number
  /** Runs of letters and digits; each Chinese, Japanese or Korean character counts as a word. */
  readonly words: number
  /** Code points, line ends included. */
  readonly characters: number
  readonly cjk_characters: number
  readonly longest_line_characters: number
}

export interface TextCounter {
  add(text: string): void
  counts(): TextCounts
}

export function createTextCounter(): TextCounter {
  let [lines, blank, words, characters, cjk, longest] = [0, 0, 0, 0, 0, 0]
  let [inLine, inWord, visible] = [0, false, false]
  const endLine = (): void => {
    lines++
    if (!visible) blank++
    longest = Math.max(longest, inLine)
    ;[inLine, inWord, visible] = [0, false, false]
  }
  const take = (code: number): void => {
    characters++
    if (code === 0x0a) {
      endLine()
      return
    }
    if (code !== 0x0d) inLine++
    const isCjk = isIdeograph(code)
    if (isCjk) cjk++
    if (!isSpace(code)) visible = true
    const letter = !isCjk && isWordCharacter(code)
    if (isCjk || (letter && !inWord)) words++
    inWord = letter
  }
  return {
    add: (text) => {
      for (let at = 0; at < text.length; at++) {
        const code = text.codePointAt(at) ?? 0
        if (code > 0xffff) at++
        take(code)
      }
    },
    counts: () => {
      if (inLine > 0) endLine()
      return {
        lines,
        blank_lines: blank,
        words,
        characters,
        cjk_characters: cjk,
        longest_line_characters: longest,
      }
    },
  }
}

/** Han, kana and hangul: scripts whose words are not parted by spaces. */
function isIdeograph(code: number): boolean {
  return (
    (code >= 0x3400 && code <= 0x9fff) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0x3040 && code <= 0x30ff) ||
    (code >= 0xac00 && code <= 0xd7af) ||
    (code >= 0x20000 && code <= 0x3ffff)
  )
}

const isSpace = (code: number): boolean => code <= 0x20 || code === 0xa0 || code === 0x3000

function isWordCharacter(code: number): boolean {
  if (code < 0x80) {
    return (
      (code >= 0x30 && code <= 0x39) ||
      (code >= 0x41 && code <= 0x5a) ||
      (code >= 0x61 && code <= 0x7a) ||
      code === 0x5f ||
      code === 0x27
    )
  }
  return /[\p{L}\p{N}\p{M}]/u.test(String.fromCodePoint(code))
}
