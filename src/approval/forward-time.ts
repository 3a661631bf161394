import type { Clock } from '../protocol/ports.ts'

/**
 * Wall time that never decreases within this process, so that an expired approval stays expired when the clock is
 * set back. Returns milliseconds since 1970: the wall clock, or the monotonic clock's progress while the wall clock is behind.
 */
export function createForwardTime(clock: Clock): () => number {
  const startWall = clock.now()
  const startMonotonic = clock.monotonic()
  let seen = startWall
  return () => {
    seen = Math.max(seen, clock.now(), startWall + Math.floor(clock.monotonic() - startMonotonic))
    return seen
  }
}
