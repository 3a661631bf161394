/** Finding facts: by the words they hold, by what they mean, and in what was said before a summary. */
import { replacedEntries, setVector, tokenHits } from '../store/repositories/memory.ts'
import type { MemoryFactRow } from '../store/schema.ts'
import { bytesVector, vectorBytes } from './embeddings.ts'
import type { FactsDeps, Search } from './facts.ts'
import { fuse, rankByVector, rankByWords } from './ranking.ts'
import { type Owner, scopesOf } from './scope.ts'

/** Vectors that one search makes up for, after an outage or a change of the model. */
const BACKFILL = 64
const LEAST_NEARNESS = 0.2
const MOST_SAID = 10
const SAID_SCANNED = 60

interface Question {
  readonly query: string
  readonly words: readonly string[]
  readonly rows: readonly MemoryFactRow[]
}

/** The facts that fit, best first: by words and by meaning, joined by rank. */
export async function rankFacts(
  deps: FactsDeps,
  owner: Owner,
  { query, words, rows }: Question,
  signal: AbortSignal,
): Promise<MemoryFactRow[]> {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const hits = rankByWords(await tokenHits(deps.store.db, scopesOf(owner), words), rows.length)
  const literal = hits.length > 0 ? [] : containing(rows, query)
  const near = await rankByMeaning(deps, query, rows, signal)
  return fuse([hits, literal, near]).flatMap((id) => byId.get(id) ?? [])
}

/** For what is no word at all: one character, a symbol. */
function containing(rows: readonly MemoryFactRow[], query: string): string[] {
  const wanted = query.normalize('NFKC').toLowerCase().trim()
  if (wanted === '') return []
  return rows
    .filter((row) => `${row.key}\n${row.value}`.normalize('NFKC').toLowerCase().includes(wanted))
    .map((row) => row.id)
}

async function rankByMeaning(
  deps: FactsDeps,
  query: string,
  rows: readonly MemoryFactRow[],
  signal: AbortSignal,
): Promise<string[]> {
  const { embeddings } = deps
  if (!embeddings || rows.length === 0) return []
  const missing = rows.filter((row) => row.vector_model !== embeddings.model).slice(0, BACKFILL)
  const made = await embeddings.vectors([query, ...missing.map((row) => `${row.key}\n${row.value}`)], signal)
  const [asked, ...filled] = made ?? []
  if (!asked) return []
  const vectors = new Map<string, Float32Array>()
  for (const row of rows) {
    if (row.vector && row.vector_model === embeddings.model) vectors.set(row.id, bytesVector(row.vector))
  }
  for (const [i, row] of missing.entries()) {
    const vector = filled[i]
    if (!vector) continue
    vectors.set(row.id, vector)
    await setVector(deps.store.db, row.id, vectorBytes(vector), embeddings.model)
  }
  return rankByVector(asked, vectors, LEAST_NEARNESS)
}

/** What was said earlier in this conversation, replaced by a summary since; most words first. */
export async function saidBefore(
  deps: FactsDeps,
  owner: Owner,
  words: readonly string[],
): Promise<Search['said']> {
  const found = await replacedEntries(deps.store.db, owner.sessionId, words, SAID_SCANNED)
  const lines = found.flatMap(({ at, entry }) => {
    if (entry.type === 'assistant') return [{ at, who: 'you', text: entry.text }]
    if (entry.type !== 'user') return []
    return entry.messages.map((message) => ({ at, who: message.name || message.user, text: message.text }))
  })
  return lines
    .map((line) => ({ line, hits: words.filter((word) => line.text.toLowerCase().includes(word)).length }))
    .filter(({ hits }) => hits > 0)
    .toSorted((a, b) => b.hits - a.hits)
    .slice(0, MOST_SAID)
    .map(({ line }) => line)
}
