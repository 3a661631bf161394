/** Which facts fit a query best. Pure. */

export interface Hit {
  readonly token: string
  readonly fact_id: string
  readonly count: number
}

const SATURATION = 1.2
/** Flattens the difference between first places, as usual in reciprocal rank fusion. */
const FUSION = 60

/** Ids by the rarity and number of the query's words they hold, best first (BM25 without length). */
export function rankByWords(hits: readonly Hit[], facts: number): string[] {
  const holders = new Map<string, number>()
  for (const { token } of hits) holders.set(token, (holders.get(token) ?? 0) + 1)
  const scores = new Map<string, number>()
  for (const { token, fact_id, count } of hits) {
    const df = holders.get(token) ?? 1
    const rarity = Math.log(1 + (facts - df + 0.5) / (df + 0.5))
    const weight = (count * (SATURATION + 1)) / (count + SATURATION)
    scores.set(fact_id, (scores.get(fact_id) ?? 0) + rarity * weight)
  }
  return byScore(scores)
}

/** Ids by nearness of meaning, those below `least` left out. */
export function rankByVector(
  query: Float32Array,
  vectors: ReadonlyMap<string, Float32Array>,
  least: number,
): string[] {
  const scores = new Map<string, number>()
  for (const [id, vector] of vectors) {
    const score = cosine(query, vector)
    if (score >= least) scores.set(id, score)
  }
  return byScore(scores)
}

/** Joins rankings whose scores cannot be compared, by rank alone. */
export function fuse(rankings: readonly (readonly string[])[]): string[] {
  const scores = new Map<string, number>()
  for (const ranking of rankings) {
    for (const [rank, id] of ranking.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (FUSION + rank))
  }
  return byScore(scores)
}

/** −1 … 1; 0 for vectors of different lengths, which come from different models. */
export function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0
  let dot = 0
  let squaresA = 0
  let squaresB = 0
  for (const [i, x] of a.entries()) {
    const y = b[i] ?? 0
    dot += x * y
    squaresA += x * x
    squaresB += y * y
  }
  return squaresA === 0 || squaresB === 0 ? 0 : dot / Math.sqrt(squaresA * squaresB)
}

function byScore(scores: ReadonlyMap<string, number>): string[] {
  return [...scores].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([id]) => id)
}
