/** Texts as searchable words, Chinese included. The dictionary is loaded at the first use. */

export interface Segmenter {
  /** Each word and how often it occurs. Lower case, full-width forms folded. */
  words(text: string): Promise<ReadonlyMap<string, number>>
}

const HAN = /\p{Script=Han}+/gu
const SINGLE_HAN = /^\p{Script=Han}$/u

/**
 * Han words come from a dictionary; every pair of neighbouring characters is a word as well, so that
 * a name the dictionary does not know (张三 in 张三丰) is found. Single characters are no words.
 */
export function createSegmenter(): Segmenter {
  let loading: Promise<(text: string) => string[]> | undefined
  return {
    words: async (text) => {
      loading ??= loadDictionary()
      const cut = await loading
      const folded = text.normalize('NFKC').toLowerCase()
      const words = cut(folded).filter((word) => /[\p{L}\p{N}]/u.test(word) && !SINGLE_HAN.test(word))
      const known = new Set(words)
      const counts = new Map<string, number>()
      for (const word of [...words, ...pairsOf(folded).filter((pair) => !known.has(pair))]) {
        counts.set(word, (counts.get(word) ?? 0) + 1)
      }
      return counts
    },
  }
}

async function loadDictionary(): Promise<(text: string) => string[]> {
  const [{ Jieba }, { dict }] = await Promise.all([
    import('@node-rs/jieba'),
    import('@node-rs/jieba/dict.js'),
  ])
  const jieba = Jieba.withDict(dict)
  return (text) => jieba.cutForSearch(text, true)
}

function pairsOf(text: string): string[] {
  return [...text.matchAll(HAN)].flatMap(([run]) => {
    const characters = [...run]
    return characters.slice(1).map((character, i) => `${characters[i]}${character}`)
  })
}
