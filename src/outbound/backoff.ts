import type { Random } from '../protocol/ports.ts'

const FIRST_MS = 1_000
const LONGEST_MS = 60_000

/** Exponential back-off with ±20 % jitter: about 1, 2, 4 … 60 seconds before the `attempt`-th repeat (from 1). */
export function backoffMs(attempt: number, random: Random): number {
  const base = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 10))
  return Math.round(base * (0.8 + 0.4 * random.float()))
}
