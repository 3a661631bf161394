/** Three texts that stand at the start of every conversation: small, whole, never cut by themselves. */
import { AppError } from '../protocol/errors.ts'
import type { Clock } from '../protocol/ports.ts'
import { blocksOf, saveBlock } from '../store/repositories/memory.ts'
import type { MemoryBlockRow } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import { type Owner, type ScopeKind, scopeKey, scopesOf } from './scope.ts'

/** In the order in which they stand at the start of a conversation. */
export const BLOCK_NAMES = ['user_profile', 'project_context', 'active_goals'] as const
/** `user_profile` is about one person, the other two belong to the chat. */
export type BlockName = (typeof BLOCK_NAMES)[number]

/** The profile is about one person and follows that person in this chat; the others belong to the chat. */
const SCOPES: Readonly<Record<BlockName, ScopeKind>> = {
  user_profile: 'person',
  project_context: 'chat',
  active_goals: 'chat',
}

/** Largest text of each block, characters. */
export const BLOCK_LIMITS: Readonly<Record<BlockName, number>> = {
  user_profile: 3_000,
  project_context: 3_000,
  active_goals: 1_500,
}

/**
 * `tainted`: other people's words stood in the conversation as it was written; read it as data. Times in
 * milliseconds.
 */
export interface Block {
  readonly name: BlockName
  readonly scope: ScopeKind
  readonly content: string
  readonly author: string
  readonly tainted: boolean
  readonly updatedAt: number
}

export interface Blocks {
  /** Rejects with `tool.limit` when the text does not fit; nothing is dropped to make room. */
  write(
    owner: Owner,
    change: {
      readonly name: BlockName
      readonly content: string
      readonly mode: 'replace' | 'append'
      readonly tainted: boolean
    },
  ): Promise<{ readonly content: string; readonly before: string }>
  list(owner: Owner): Promise<readonly Block[]>
}

/** Blocks over the store. */
export function createBlocks(deps: { store: Pick<Store, 'db' | 'transaction'>; clock: Clock }): Blocks {
  return {
    write: async (owner, { name, content, mode, tainted }) =>
      deps.store.transaction(async (trx) => {
        const scope = scopeKey(owner, SCOPES[name])
        const row = (await blocksOf(trx, [scope])).find((one) => one.name === name)
        const before = row?.content ?? ''
        const added = content.trim()
        const whole = mode === 'append' && before !== '' ? `${before}\n${added}` : added
        if (whole.length > BLOCK_LIMITS[name]) throw tooLong(name, whole.length, before.length)
        const kept = mode === 'append' && row?.tainted === 1
        await saveBlock(trx, {
          scope,
          name,
          content: whole,
          author: owner.user,
          tainted: tainted || kept ? 1 : 0,
          updated_at: deps.clock.now(),
        })
        return { content: whole, before }
      }),
    list: async (owner) => (await blocksOf(deps.store.db, scopesOf(owner))).flatMap(blockOf),
  }
}

/** Which scope a block is kept in. */
export function blockScope(name: BlockName): ScopeKind {
  return SCOPES[name]
}

function blockOf(row: MemoryBlockRow): Block[] {
  const name = BLOCK_NAMES.find((known) => known === row.name)
  if (name === undefined || row.content === '') return []
  const { content, author } = row
  return [
    { name, scope: SCOPES[name], content, author, tainted: row.tainted !== 0, updatedAt: row.updated_at },
  ]
}

function tooLong(name: BlockName, length: number, before: number): AppError {
  const most = BLOCK_LIMITS[name]
  return new AppError(
    'tool.limit',
    `${name} would have ${length} characters; it holds ${most}, and ${before} are in use. Nothing was changed.`,
    {
      hint: 'Use memory_replace with a shorter text that keeps what matters, or remember_fact for single facts.',
      params: { name, length, most },
    },
  )
}
