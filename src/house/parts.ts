/** What the composers of the house share. */
import type { Equipment } from './equipment.ts'
import type { Ground } from './ground.ts'
import type { Mail } from './mail.ts'
import type { HouseSchedules } from './schedules.ts'

export interface HouseParts extends Ground, Mail, Equipment {
  readonly schedules: HouseSchedules
}
