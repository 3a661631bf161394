/**
 * What is remembered beyond a conversation: facts, and blocks that open it. It knows scopes: a chat,
 * and a person within a chat; nothing is ever found from another one. It refuses to know models and
 * prompts, and to judge who may write: that is the policy's.
 */
import type { LogEntry } from '../protocol/session-log.ts'
import { deleteBlock, deleteFact } from '../store/repositories/memory.ts'
import { BLOCK_NAMES, type Block, type Blocks, blockScope, createBlocks } from './blocks.ts'
import type { Embeddings } from './embeddings.ts'
import { createFacts, type Facts, type FactsDeps } from './facts.ts'
import { type Owner, scopeKey, scopesOf } from './scope.ts'

/** Every method names the owner; what belongs to another chat or person is as if it were not there. */
export interface Memory {
  readonly facts: Facts
  readonly blocks: Blocks
  /** True when other people's words stand in the session's conversation: what is written now is data. */
  tainted(sessionId: string): Promise<boolean>
  /** Erases a fact by id or a block by name; false for what is not there or belongs to somebody else. */
  forget(owner: Owner, id: string): Promise<boolean>
  /** Since when search goes without meaning, and why; undefined when all is well or none is configured. */
  outage(): ReturnType<Embeddings['outage']>
  /**
   * The blocks that a conversation does not show yet, as a log entry; undefined when there are none.
   * They enter the log once, as data: the system prompt stays the same bytes in every turn.
   */
  recollect(owner: Owner, shown: ReadonlySet<string>): Promise<Recollection | undefined>
}

export type Recollection = Extract<LogEntry, { type: 'memory' }>

export interface MemoryDeps extends FactsDeps {
  readonly tainted: (sessionId: string) => Promise<boolean>
}

/** Facts and blocks together. The dictionary is loaded at first use. */
export function createMemory(deps: MemoryDeps): Memory {
  const blocks = createBlocks(deps)
  return {
    facts: createFacts(deps),
    blocks,
    tainted: deps.tainted,
    outage: () => deps.embeddings?.outage(),
    forget: (owner, id) =>
      deps.store.transaction(async (trx) => {
        const name = BLOCK_NAMES.find((known) => known === id)
        if (name) return deleteBlock(trx, scopeKey(owner, blockScope(name)), name)
        return deleteFact(trx, scopesOf(owner), id)
      }),
    recollect: async (owner, shown) => {
      const found = (await blocks.list(owner)).filter((block) => !shown.has(shownKey(owner, block)))
      if (found.length === 0) return undefined
      return { type: 'memory', blocks: found.map((block) => recalled(owner, block)) }
    },
  }
}

function recalled(owner: Owner, block: Block): Recollection['blocks'][number] {
  const { name, content, tainted } = block
  return { name, content, tainted, ...(block.scope === 'person' ? { user: owner.user } : {}) }
}

/** Which block of whom: `project_context`, `user_profile feishu:ou_1`. */
function shownKey(owner: Owner, block: Block): string {
  return block.scope === 'person' ? `${block.name} ${owner.user}` : block.name
}
