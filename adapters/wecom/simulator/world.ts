/** What all parts of the simulated platform share: the corp, the chats, the counters, the registers. */
import type { Clock, Logger, Random } from '../../../src/protocol/ports.ts'
import { type Chats, createChats } from './chats.ts'
import type { WecomSettings } from './control.ts'
import { createFaults, type Faults } from './faults.ts'
import { createHandles, type Handles } from './handles.ts'
import { createJournal, type Journal } from './journal.ts'
import { createMedia, type Media } from './media.ts'
import { createOrg, type Org } from './org.ts'
import { createRates, type Rates } from './rates.ts'
import { type Verdict, verdictOf } from './refusal.ts'

export interface World {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly settings: WecomSettings
  readonly org: Org
  readonly chats: Chats
  readonly journal: Journal
  readonly faults: Faults
  readonly handles: Handles
  readonly media: Media
  readonly rates: Rates
  /** `bot|chat` pairs in which somebody has messaged the bot. */
  readonly spoken: Set<string>
  /** task_ids used so far, prefixed by their owner. */
  readonly tasks: Set<string>
  /** `http://127.0.0.1:<port>`. */
  readonly baseUrl: string
  /** The address that callers seem to have; changed by a fault. */
  callerIp: string
  /** The answer to a refused request. Rethrows what is no refusal. */
  verdict(error: unknown): Verdict
  /** Unix seconds. */
  seconds(): number
}

export const DEFAULT_SETTINGS: WecomSettings = {
  streamLimitSec: 360,
  groupCards: 'reply-only',
  imageUploadMax: 2 * 1024 * 1024,
  countStreamFrames: false,
  replayMissed: false,
  sameToken: true,
  apvRel: 'all-is-1',
  callbackContentType: 'application/json',
  idleLimitSec: 0,
}

interface WorldDeps {
  clock: Clock
  random: Random
  logger: Logger
  settings: WecomSettings
  baseUrl: string
}

export function createWorld(deps: WorldDeps): World {
  const journal = createJournal(deps.clock.now)
  return {
    ...deps,
    journal,
    org: createOrg({
      corpId: 'ww0123456789abcdef',
      name: '演示企业',
      departments: [{ id: 1, name: '演示企业' }],
      members: [],
      apps: [],
      bots: [],
      groups: [],
    }),
    chats: createChats({ clock: deps.clock, random: deps.random, journal }),
    faults: createFaults(),
    handles: createHandles(deps.clock, deps.random),
    media: createMedia(deps),
    rates: createRates(deps.clock),
    spoken: new Set(),
    tasks: new Set(),
    callerIp: '127.0.0.1',
    verdict(error) {
      return verdictOf(error, this.callerIp, String(deps.clock.now()))
    },
    seconds: () => Math.floor(deps.clock.now() / 1000),
  }
}
