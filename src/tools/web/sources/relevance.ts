/** Whether results are about the question at all: hijacked networks answer every search with their own page. Pure. */
import type { SearchResult } from './source.ts'

const HAN = /\p{Script=Han}+/gu

/** True when a word of the query, or a pair of Han characters, stands in some title or summary. */
export function isToThePoint(query: string, results: readonly SearchResult[]): boolean {
  const words = wordsOf(query)
  if (words.length === 0) return true
  return results.some(({ title, summary, url }) => {
    const text = `${title}\n${summary}\n${url}`.normalize('NFKC').toLowerCase()
    return words.some((word) => text.includes(word))
  })
}

function wordsOf(query: string): string[] {
  const folded = query.normalize('NFKC').toLowerCase()
  const plainWords = folded.match(/[\p{L}\p{N}]+/gu)?.filter((word) => !/\p{Script=Han}/u.test(word)) ?? []
  const pairs = [...folded.matchAll(HAN)].flatMap(([run]) => {
    const characters = [...run]
    if (characters.length === 1) return [run]
    return characters.slice(1).map((character, i) => `${characters[i]}${character}`)
  })
  return [...plainWords.filter((word) => word.length > 1), ...pairs]
}
