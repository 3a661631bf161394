/** Real time with another date: timers run as they do, the wall shows what a test says. */
import type { Clock } from '../../src/protocol/ports.ts'
import { createSystemClock } from '../../src/system/clock.ts'

export interface ShiftedClock extends Clock {
  /** Moves the wall; timers do not notice. */
  jumpTo(wall: number): void
}

export function createShiftedClock(wall: number): ShiftedClock {
  const system = createSystemClock()
  let shift = wall - system.now()
  return {
    ...system,
    now: () => system.now() + shift,
    jumpTo: (next) => {
      shift = next - system.now()
    },
  }
}
