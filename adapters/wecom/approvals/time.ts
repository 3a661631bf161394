/** Times in forms: moments in the zone of whoever reads them, dates as they were written. */
import { createZoneTime, type ZoneTime } from '../../../src/protocol/zone-time.ts'

/** A date is told as the midnight of Beijing that it begins with, wherever it is read. */
const DATES = createZoneTime('Asia/Shanghai')

/** `2025-12-01 10:00` of unix seconds; a dash for 0, which WeCom writes for "not yet". */
export function formatSeconds(seconds: number, zone: Pick<ZoneTime, 'show'>): string {
  return seconds === 0 ? '-' : zone.show(seconds * 1_000)
}

/** `2025-12-01` of a date. */
export function formatDay(seconds: number): string {
  return formatSeconds(seconds, DATES).slice(0, 10)
}
