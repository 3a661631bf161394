/** Words of people and models within an answer of ours. Pure. */
import { clipText } from '../../protocol/clip-text.ts'

/** One line of at most `most` characters, without any mark that could become markup, a link or a mention. */
export function plainWords(words: string, most: number): string {
  const flat = words.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').replace(/[`*_~[\]<>@#|\\]/g, ' ')
  return clipText(flat, most)
}
