/** What every wire format is given. */
import type { Clock, Random, Translate } from '../protocol/ports.ts'
import type { ZoneTime } from '../protocol/zone-time.ts'
import type { RetryPolicy } from './retry.ts'

export interface ModelDeps {
  readonly clock: Clock
  readonly random: Random
  /** Words of the demo model; the other formats say nothing themselves. */
  readonly text: Translate
  /** Where the demo model's weeks begin. */
  readonly zone: Pick<ZoneTime, 'weekStart'>
  /** Longest silence before the first byte and between events, milliseconds. Default 120,000. */
  readonly silenceMs?: number
  readonly retry?: Partial<RetryPolicy>
  /** Pause between two pieces of the demo model's text, milliseconds. */
  readonly demoPieceMs?: number
  /** Network for the SDKs; Node's own when absent. */
  readonly fetch?: typeof fetch
}
