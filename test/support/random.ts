import { createHash } from 'node:crypto'
import type { Random } from '../../src/protocol/ports.ts'

/** Repeatable ids and floats from a seed. */
export function createSeededRandom(seed = 'yizhan'): Random {
  let count = 0
  const digest = (): Buffer => createHash('sha256').update(`${seed}:${count++}`).digest()
  return {
    id: (bytes = 16) =>
      [...digest().toString('hex').padEnd(64, 'a')]
        .map((c) => 'abcdefghijklmnop'[Number.parseInt(c, 16)])
        .join('')
        .slice(0, Math.ceil((bytes * 8) / 5)),
    float: () => digest().readUInt32BE(0) / 2 ** 32,
  }
}
