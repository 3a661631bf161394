import { createHash } from 'node:crypto'
import type { Random } from '../../../src/protocol/ports.ts'

/** Makes the platform's ids: a prefix and lower-case hex. */
export interface Ids {
  hex(length: number): string
  make(prefix: string, length?: number): string
  /** Always the same id for the same parts: open_ids and union_ids. */
  derived(prefix: string, ...parts: readonly string[]): string
}

/** Ids from `random`, so that a seeded run repeats. */
export function createIds(random: Random): Ids {
  const digest = (text: string): string => createHash('sha256').update(text).digest('hex')
  const seed = random.id()
  const hex = (length: number): string => digest(random.id()).slice(0, length)
  return {
    hex,
    make: (prefix, length = 32) => prefix + hex(length),
    derived: (prefix, ...parts) => prefix + digest([seed, ...parts].join('\n')).slice(0, 32),
  }
}
