/** The memory with its dictionary, its vectors and its view of tainted conversations. */
import { createTaintReader } from '../approval/taint-reader.ts'
import { createEmbeddings } from '../memory/embeddings.ts'
import { createMemory, type Memory } from '../memory/memory.ts'
import { createSegmenter } from '../memory/segmenter.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { HouseOptions } from './house.ts'

/** Memory over the store, with embeddings if they are configured. */
export function buildMemory({ options, metrics }: { options: HouseOptions; metrics: Metrics }): Memory {
  const { store, clock, random, logger, config } = options
  const endpoint = config.memory.embeddings
  return createMemory({
    store,
    clock,
    random,
    segmenter: createSegmenter(),
    embeddings:
      endpoint && createEmbeddings(endpoint, { clock, logger, fetch, onAvailable: metrics.embeddings }),
    tainted: (sessionId) => createTaintReader(store)(sessionId),
  })
}
