/** Facts under keys: written, found by key or by words and meaning, listed, erased. */
import { AppError } from '../protocol/errors.ts'
import type { Clock, Random } from '../protocol/ports.ts'
import { countFacts, factByKey, factsOf, saveFact } from '../store/repositories/memory.ts'
import type { MemoryFactRow } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import { type Embeddings, vectorBytes } from './embeddings.ts'
import { type Owner, type ScopeKind, scopeKey, scopesOf } from './scope.ts'
import { rankFacts, saidBefore } from './search.ts'
import type { Segmenter } from './segmenter.ts'

/** Keys are unique within a scope; `author` is a user key, `updatedAt` wall time in milliseconds. */
export interface Fact {
  readonly id: string
  readonly scope: ScopeKind
  readonly key: string
  readonly value: string
  readonly author: string
  /** True when other people's words stood in the conversation as it was written: read it as data. */
  readonly tainted: boolean
  readonly updatedAt: number
}

/** What was found, in memory and in the part of the conversation that is not context any more. */
export interface Search {
  /** Best first. */
  readonly facts: readonly Fact[]
  /** What people and the agent said earlier in this conversation and a summary replaced; newest first. */
  readonly said: readonly { readonly at: number; readonly who: string; readonly text: string }[]
}

export interface Facts {
  /** Writes or replaces; the earlier value comes back. Rejects with `tool.limit` when the scope is full. */
  remember(
    owner: Owner,
    fact: {
      readonly scope: ScopeKind
      readonly key: string
      readonly value: string
      readonly tainted: boolean
    },
    signal: AbortSignal,
  ): Promise<{ readonly id: string; readonly before: string | undefined }>
  /** The fact of that key: the person's own before the chat's. */
  recall(owner: Owner, key: string): Promise<Fact | undefined>
  search(owner: Owner, query: string, signal: AbortSignal): Promise<Search>
  list(owner: Owner): Promise<readonly Fact[]>
}

export interface FactsDeps {
  readonly store: Pick<Store, 'db' | 'transaction'>
  readonly segmenter: Segmenter
  readonly embeddings: Embeddings | undefined
  readonly clock: Clock
  readonly random: Random
}

/** Facts a chat, or a person in it, may have. */
export const MOST_FACTS = 500

/** Facts over the store. */
export function createFacts(deps: FactsDeps): Facts {
  const { db } = deps.store
  return {
    remember: (owner, fact, signal) => rememberFact(deps, owner, fact, signal),
    recall: async (owner, key) => {
      const [chat, person] = scopesOf(owner)
      const row = (await factByKey(db, person, key)) ?? (await factByKey(db, chat, key))
      return row && factOf(owner, row)
    },
    search: async (owner, query, signal) => {
      const words = [...(await deps.segmenter.words(query)).keys()]
      const rows = await factsOf(db, scopesOf(owner))
      const ranked = await rankFacts(deps, owner, { query, words, rows }, signal)
      return {
        facts: ranked.map((row) => factOf(owner, row)),
        said: await saidBefore(deps, owner, words),
      }
    },
    list: async (owner) => (await factsOf(db, scopesOf(owner))).map((row) => factOf(owner, row)),
  }
}

async function rememberFact(
  deps: FactsDeps,
  owner: Owner,
  fact: Parameters<Facts['remember']>[1],
  signal: AbortSignal,
): Promise<{ id: string; before: string | undefined }> {
  const scope = scopeKey(owner, fact.scope)
  const text = `${fact.key}\n${fact.value}`
  const [words, vectors] = await Promise.all([
    deps.segmenter.words(text),
    deps.embeddings?.vectors([text], signal),
  ])
  const vector = vectors?.[0]
  const now = deps.clock.now()
  return deps.store.transaction(async (trx) => {
    const before = await factByKey(trx, scope, fact.key)
    if (!before && (await countFacts(trx, scope)) >= MOST_FACTS) throw memoryFull()
    const id = before?.id ?? deps.random.id(5)
    const row: MemoryFactRow = {
      id,
      scope,
      key: fact.key,
      value: fact.value,
      author: owner.user,
      tainted: fact.tainted ? 1 : 0,
      vector: vector ? vectorBytes(vector) : null,
      vector_model: vector ? (deps.embeddings?.model ?? null) : null,
      created_at: before?.created_at ?? now,
      updated_at: now,
    }
    await saveFact(trx, row, words)
    return { id, before: before?.value }
  })
}

function memoryFull(): AppError {
  return new AppError('tool.limit', `there are already ${MOST_FACTS} facts`, {
    hint: 'Reuse a key, or ask the person to erase some with /memory.',
    params: { most: MOST_FACTS },
  })
}

function factOf(owner: Owner, row: MemoryFactRow): Fact {
  return {
    id: row.id,
    scope: row.scope === scopeKey(owner, 'chat') ? 'chat' : 'person',
    key: row.key,
    value: row.value,
    author: row.author,
    tainted: row.tainted !== 0,
    updatedAt: row.updated_at,
  }
}
