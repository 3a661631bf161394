import type { Clock } from '../protocol/ports.ts'

/**
 * Wall time that never goes back within this process: what has expired stays expired when somebody
 * sets the clock back. Follows the wall when it is ahead, the monotonic clock when it is behind.
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
