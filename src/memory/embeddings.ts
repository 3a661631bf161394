/**
 * Vectors of texts from an OpenAI-compatible `/embeddings` endpoint. An outage is never silent: it is
 * logged once, shown at `/metrics`, and every search says since when it goes without.
 */
import { z } from 'zod'
import type { Clock, Logger } from '../protocol/ports.ts'

export interface EmbeddingsConfig {
  readonly baseUrl: string
  readonly apiKey: string
  readonly model: string
}

export interface Embeddings {
  readonly model: string
  /** One vector per text, or undefined while the endpoint fails. Rejects only when aborted. */
  vectors(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[] | undefined>
  /** Since when it fails, wall time, and why; undefined while it works. */
  outage(): { readonly since: number; readonly reason: string } | undefined
}

export interface EmbeddingsDeps {
  readonly clock: Clock
  readonly logger: Logger
  readonly fetch: typeof fetch
  /** Told of every change between working and failing. */
  readonly onAvailable: (available: boolean) => void
}

const TIMEOUT_MS = 15_000
/** After a failure the endpoint is left alone this long, so that searches do not wait for it each time. */
const PAUSE_MS = 30_000

const answerSchema = z.looseObject({
  data: z.array(z.looseObject({ index: z.int().optional(), embedding: z.array(z.number()).min(1) })),
})

/** A client that stops asking for a while after a failure. */
export function createEmbeddings(config: EmbeddingsConfig, deps: EmbeddingsDeps): Embeddings {
  let outage: { since: number; reason: string } | undefined
  let pausedUntil = 0
  const failed = (reason: string): undefined => {
    pausedUntil = deps.clock.now() + PAUSE_MS
    if (outage) return undefined
    outage = { since: deps.clock.now(), reason }
    deps.logger.warn({ reason, model: config.model }, 'embeddings are unavailable; memory searches by words')
    deps.onAvailable(false)
    return undefined
  }
  const recovered = (): void => {
    if (!outage) return
    deps.logger.info({ since: outage.since, model: config.model }, 'embeddings are available again')
    outage = undefined
    deps.onAvailable(true)
  }
  return {
    model: config.model,
    outage: () => outage,
    vectors: async (texts, signal) => {
      if (texts.length === 0) return []
      if (deps.clock.now() < pausedUntil) return undefined
      try {
        const vectors = await ask(config, deps.fetch, texts, signal)
        recovered()
        return vectors
      } catch (error) {
        signal.throwIfAborted()
        return failed(error instanceof Error ? error.message : 'no answer')
      }
    },
  }
}

async function ask(
  { baseUrl, apiKey, model }: EmbeddingsConfig,
  fetchImpl: typeof fetch,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const response = await fetchImpl(`${baseUrl.replace(/\/+$/, '')}/embeddings`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify({ model, input: texts }),
    // A redirect would carry the key to another host.
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  })
  if (!response.ok) throw new Error(`HTTP ${response.status}`)
  const parsed = answerSchema.safeParse(await response.json())
  if (!parsed.success || parsed.data.data.length !== texts.length)
    throw new Error('an answer of another form')
  const sorted = parsed.data.data.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0))
  return sorted.map((item) => Float32Array.from(item.embedding))
}

/** Vector ↔ bytes of a BLOB column. */
export function vectorBytes(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}

/** The inverse of {@link vectorBytes}. */
export function bytesVector(bytes: Uint8Array): Float32Array {
  const copy = Uint8Array.from(bytes)
  return new Float32Array(copy.buffer, 0, Math.floor(copy.byteLength / 4))
}
