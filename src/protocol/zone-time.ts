/**
 * Times as people read them: all in one zone, the `calendar.timezone` of the configuration, so that none has to
 * say which it is in.
 */

/** Wall times of the one zone in which people read everything. */
export interface ZoneTime {
  /** `2026-01-05 09:00` of milliseconds since 1970. */
  show(at: number): string
  /** Midnight of the Monday of this time's week, milliseconds since 1970. */
  weekStart(at: number): number
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Zones without summer time, for which none of the 9 MB that `Intl` loads for a zone is needed. */
const FIXED: Readonly<Record<string, number>> = { 'Asia/Shanghai': 8 * HOUR_MS, UTC: 0 }

/** Whether this names a zone. An offset such as +08:00 has no summer time to follow, and names none. */
export function isTimezone(timezone: string): boolean {
  if (FIXED[timezone] !== undefined) return true
  try {
    return !/^[+-]/.test(timezone) && formatOf(timezone) !== undefined
  } catch {
    return false
  }
}

/** @param timezone for which {@link isTimezone} holds */
export function createZoneTime(timezone: string): ZoneTime {
  const fixed = FIXED[timezone]
  const offsetAt = fixed === undefined ? offsetOf(timezone) : () => fixed
  return {
    show: (at) => new Date(at + offsetAt(at)).toISOString().slice(0, 16).replace('T', ' '),
    weekStart: (at) => {
      const day = Math.floor((at + offsetAt(at)) / DAY_MS)
      // Day 0 was a Thursday.
      const monday = (day - ((day + 3) % 7)) * DAY_MS
      return monday - offsetAt(monday - offsetAt(monday))
    },
  }
}

/** The zone's distance from UTC at a time, milliseconds. Loaded at first use. */
function offsetOf(timezone: string): (at: number) => number {
  let format: Intl.DateTimeFormat | undefined
  return (at) => {
    format ??= formatOf(timezone)
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0
    const wall = Date.UTC(
      part('year'),
      part('month') - 1,
      part('day'),
      part('hour'),
      part('minute'),
      part('second'),
    )
    return wall - Math.floor(at / 1_000) * 1_000
  }
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const style = { year: 'numeric', month: 'numeric', day: 'numeric' } as const
  const time = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const
  return new Intl.DateTimeFormat('en-US', { timeZone, ...style, ...time })
}
