import { afterEach, describe, expect, it } from 'vitest'
import { bytesVector, createEmbeddings, vectorBytes } from '../../../src/memory/embeddings.ts'
import { cosine, fuse, rankByWords } from '../../../src/memory/ranking.ts'
import type { Store } from '../../../src/store/store.ts'
import { createManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { createTestMemory } from '../../support/memory.ts'
import { openTestStore } from '../../support/store.ts'

const signal = new AbortController().signal
const owner = { sessionId: 's', user: 'feishu:ou_1' } as const

/** An endpoint that knows two meanings: animals and everything else. */
function endpoint() {
  const state = { down: false, calls: 0, keys: [] as (string | null)[] }
  const answer: typeof fetch = async (_url, init) => {
    state.calls++
    state.keys.push(new Headers(init?.headers).get('authorization'))
    if (state.down) return new Response('busy', { status: 503 })
    const { input } = JSON.parse(String(init?.body)) as { input: string[] }
    const data = input.map((text, index) => ({
      index,
      embedding: /[猫狗]|宠物/.test(text) ? [1, 0.1] : [0.1, 1],
    }))
    return Response.json({ data: data.toReversed() })
  }
  const clock = createManualClock()
  const logger = createCollectingLogger()
  const seen: boolean[] = []
  const embeddings = createEmbeddings(
    { baseUrl: 'https://models.example/v1/', apiKey: 'k', model: 'e1' },
    { clock, logger, fetch: answer, onAvailable: (available) => seen.push(available) },
  )
  return { state, clock, logger, seen, embeddings }
}

let store: Store
afterEach(() => store?.close())

describe('embeddings', () => {
  it('find what shares no word with the query', async () => {
    store = await openTestStore()
    const { embeddings, state } = endpoint()
    const memory = createTestMemory(store, embeddings)
    const keep = (key: string, value: string) =>
      memory.facts.remember(owner, { scope: 'chat', key, value, tainted: false }, signal)
    await keep('前台', '有一只猫')
    await keep('机房', '在三楼')
    const { facts } = await memory.facts.search(owner, '宠物', signal)
    expect(facts.map((fact) => fact.key)).toEqual(['前台'])
    expect(state.keys[0]).toBe('Bearer k')
  })

  it('fault 11: an outage is logged once, shown as a number, said with its time, and made up for later', async () => {
    store = await openTestStore()
    const { embeddings, state, clock, logger, seen } = endpoint()
    const memory = createTestMemory(store, embeddings)
    state.down = true
    await memory.facts.remember(
      owner,
      { scope: 'chat', key: '前台', value: '有一只猫', tainted: false },
      signal,
    )
    await memory.facts.search(owner, '宠物', signal)
    expect(state.calls).toBe(1)
    expect(memory.outage()).toEqual({ since: clock.now(), reason: 'HTTP 503' })
    expect(logger.lines.filter((line) => line.level === 'warn')).toHaveLength(1)
    expect((await memory.facts.search(owner, '一只猫', signal)).facts).toHaveLength(1)

    state.down = false
    clock.jump(31_000)
    expect((await memory.facts.search(owner, '宠物', signal)).facts.map((fact) => fact.key)).toEqual(['前台'])
    expect(memory.outage()).toBeUndefined()
    expect(seen).toEqual([false, true])
    const row = await store.db.selectFrom('memory_facts').select(['vector_model']).executeTakeFirst()
    expect(row?.vector_model).toBe('e1')
  })

  it('takes an answer of another form for an outage, and an abort for an abort', async () => {
    const clock = createManualClock()
    const odd = createEmbeddings(
      { baseUrl: 'https://models.example/v1', apiKey: '', model: 'e' },
      {
        ...{ clock, logger: createCollectingLogger(), onAvailable: () => undefined },
        fetch: async () => Response.json({ data: [] }),
      },
    )
    expect(await odd.vectors(['x'], signal)).toBeUndefined()
    expect(odd.outage()?.reason).toBe('an answer of another form')
    clock.jump(60_000)
    await expect(odd.vectors(['x'], AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop')
  })
})

describe('vectors', () => {
  it('survive the way through bytes, and compare by direction', () => {
    const vector = Float32Array.from([0.25, -1, 3])
    expect([...bytesVector(vectorBytes(vector))]).toEqual([0.25, -1, 3])
    expect(cosine(vector, vector)).toBeCloseTo(1)
    expect(cosine(vector, Float32Array.from([1]))).toBe(0)
  })
})

describe('ranking', () => {
  it('a rare word counts more than a common one', () => {
    const hits = [
      { token: 'common', fact_id: 'a', count: 3 },
      { token: 'common', fact_id: 'b', count: 1 },
      { token: 'common', fact_id: 'c', count: 1 },
      { token: 'rare', fact_id: 'b', count: 1 },
    ]
    expect(rankByWords(hits, 10)[0]).toBe('b')
  })

  it('fuses rankings by rank', () => {
    expect(fuse([['a', 'b'], [], ['b', 'c']])).toEqual(['b', 'a', 'c'])
  })
})
