/** Frequency limits by key: a sliding window, optionally followed by a block as errcode 45009 describes (doc 90313). */
import type { Clock } from '../../../src/protocol/ports.ts'

export interface RateRule {
  windowMs: number
  max: number
  /** After a refusal everything is refused for a further window. */
  blocks?: boolean
}

export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000

/** 30 a minute and 1000 an hour: what doc 101463 gives a chat and an upload. */
export const AIBOT_RULES: readonly RateRule[] = [
  { windowMs: MINUTE_MS, max: 30 },
  { windowMs: HOUR_MS, max: 1000 },
]

export interface Rates {
  /** Counts one use of `key`; false when a rule refuses it (and then it is not counted). */
  hit(key: string, rules: readonly RateRule[]): boolean
}

export function createRates(clock: Clock): Rates {
  const uses = new Map<string, number[]>()
  const blockedUntil = new Map<string, number>()
  return {
    hit: (key, rules) => {
      const now = clock.monotonic()
      if ((blockedUntil.get(key) ?? 0) > now) return false
      const longest = Math.max(...rules.map((rule) => rule.windowMs))
      const recent = (uses.get(key) ?? []).filter((at) => at > now - longest)
      const broken = rules.find((rule) => recent.filter((at) => at > now - rule.windowMs).length >= rule.max)
      if (broken?.blocks) blockedUntil.set(key, now + broken.windowMs)
      uses.set(key, broken ? recent : [...recent, now])
      return broken === undefined
    },
  }
}
