/** Everything that the builders of gateway, worker, remote desk and lifecycle receive. */

import type { Messaging } from './messaging.ts'
import type { RunResources } from './run-resources.ts'
import type { HouseSchedules } from './schedules.ts'
import type { SharedParts } from './shared-parts.ts'

export interface HouseParts extends SharedParts, Messaging, RunResources {
  readonly schedules: HouseSchedules
}
