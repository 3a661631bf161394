/** Takes out of a stranger's text what people do not see and models do (M1). */
import { TERMINAL_SEQUENCES } from '../../sandbox/terminal-sequences.ts'

/** Controls (but tab and line feed), format characters, private use, fillers, variation selectors. */
const HIDDEN =
  /(?![\t\n])[\p{Cc}\p{Cf}\p{Co}\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]|\p{Variation_Selector}/gu

/** Removes hidden characters and keeps at most `longest` characters, whole ones; a cut is said. */
export function cleanText(text: string, longest: number): string {
  const plain = visible(text).trim()
  if (plain.length <= longest) return plain
  return `${plain.slice(0, longest).toWellFormed()} … (${plain.length - longest} more characters)`
}

/** The same in one line. */
export function cleanLine(text: string, longest: number): string {
  return cleanText(text.replace(/\s+/g, ' '), longest)
}

/** The text without anything hidden, as long as it is. */
export function visible(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, '\n').replace(TERMINAL_SEQUENCES, '').replace(HIDDEN, '')
}

/** A stranger's words within markdown of ours: one line, without its marks; `_` within a word is none. */
export function plainWords(text: string): string {
  return visible(text).replace(/[\n`*[\]<>|]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, ' ')
}
