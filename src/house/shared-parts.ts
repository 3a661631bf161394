/** Builds what nearly every other builder here needs: settings, audit, metrics, presence, access, queue and names. */
import { type Audit, createAudit } from '../observability/audit.ts'
import { createMetrics, type Metrics } from '../observability/metrics.ts'
import { createPeople, type People } from '../people.ts'
import { type Access, createAccess } from '../policy/access.ts'
import { createZoneTime, type ZoneTime } from '../protocol/zone-time.ts'
import { createEmbeddedQueue } from '../queue/embedded.ts'
import type { Queue } from '../queue/queue.ts'
import { createPresence, type Presence } from '../store/presence.ts'
import type { Settings } from '../workbench/settings/settings.ts'
import type { HouseOptions } from './house.ts'
import { withSettings } from './workbench.ts'

export interface SharedParts {
  readonly options: HouseOptions
  readonly settings: Settings
  readonly audit: Audit
  readonly metrics: Metrics
  readonly presence: Presence
  readonly access: Access
  readonly queue: Queue
  readonly people: People
  /** Times as people read them. */
  readonly zone: ZoneTime
}

export function buildSharedParts(given: HouseOptions): SharedParts {
  const audit = createAudit({ db: given.store.db, clock: given.clock })
  const { settings, options } = withSettings(given, audit)
  const { config, clock, logger, store, bots, owner } = options
  return {
    ...{ options, settings, audit },
    metrics: createMetrics(),
    presence: createPresence({ db: store.db, clock, logger }, owner, options.quiet ? 'guest' : 'service'),
    access: createAccess(config),
    queue: options.queue ?? createEmbeddedQueue(logger),
    people: createPeople({ store, bots, clock }),
    zone: createZoneTime(config.calendar.timezone),
  }
}
