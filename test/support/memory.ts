import type { Embeddings } from '../../src/memory/embeddings.ts'
import { createMemory, type Memory } from '../../src/memory/memory.ts'
import { createSegmenter } from '../../src/memory/segmenter.ts'
import type { Store } from '../../src/store/store.ts'
import { createManualClock, type ManualClock } from './clock.ts'
import { createSeededRandom } from './random.ts'

export interface TestMemory extends Memory {
  readonly clock: ManualClock
  /** Whether conversations hold other people's words from now on. */
  taint(is: boolean): void
}

const segmenter = createSegmenter()

/** A memory over a real store, with the real dictionary. */
export function createTestMemory(store: Store, embeddings?: Embeddings): TestMemory {
  const clock = createManualClock()
  let tainted = false
  const memory = createMemory({
    store,
    segmenter,
    embeddings,
    clock,
    random: createSeededRandom('memory'),
    tainted: async () => tainted,
  })
  return {
    ...memory,
    clock,
    taint: (is) => {
      tainted = is
    },
  }
}
