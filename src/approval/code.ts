import type { Random } from '../protocol/ports.ts'

/** Without I, L and O, so that nobody reads a digit. */
const LETTERS = 'ABCDEFGHJKMNPQRSTUVWXYZ'
const DIGITS = '23456789'
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** Shape of a code: three letters and three digits, so that no ordinary word looks like one. */
export const CODE_PATTERN = /^[ABCDEFGHJKMNPQRSTUVWXYZ]{3}[23456789]{3}$/

/** A short code that people can type; it finds a row and gives no authority. */
export function createCode(random: Random): string {
  const source = random.id(16)
  const pick = (alphabet: string, position: number): string => {
    const value = BASE32.indexOf(source[position] ?? '') * 32 + BASE32.indexOf(source[position + 1] ?? '')
    return alphabet[Math.abs(value) % alphabet.length] ?? ''
  }
  return [0, 2, 4].map((at) => pick(LETTERS, at)).join('') + [6, 8, 10].map((at) => pick(DIGITS, at)).join('')
}
