/** Instants as local times of a zone. A slot is a local time, whatever the clocks do. */

export interface LocalTimes {
  /** `2026-03-08T09:00`; with seconds only when they are not zero. */
  local(at: number, timezone: string): string
  /** Whether the platform knows the zone by this name. */
  isZone(timezone: string): boolean
  /** Where the zone stands at this time, for people: `UTC+08:00`. */
  offset(at: number, timezone: string): string
  /** Instant of a local time; the first of two, and behind the gap if the clocks skip it. */
  instant(local: string, timezone: string): number
}

/** Formats are expensive to make, so each zone's is kept. */
export function createLocalTimes(): LocalTimes {
  const formats = new Map<string, Intl.DateTimeFormat>()
  const formatOf = (timezone: string): Intl.DateTimeFormat => {
    const known = formats.get(timezone)
    if (known) return known
    const made = new Intl.DateTimeFormat('en-CA', {
      timeZone: timezone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    formats.set(timezone, made)
    return made
  }
  const fields = (at: number, timezone: string): string => {
    const parts = new Map(
      formatOf(timezone)
        .formatToParts(at)
        .map((part) => [part.type, part.value]),
    )
    const get = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? ''
    return `${get('year')}-${get('month')}-${get('day')}T${get('hour')}:${get('minute')}:${get('second')}`
  }
  const offsetMs = (at: number, timezone: string): number => {
    const whole = Math.floor(at / 1_000) * 1_000
    return Date.parse(`${fields(whole, timezone)}Z`) - whole
  }
  return {
    local: (at, timezone) => fields(at, timezone).replace(/:00$/, ''),
    isZone: (timezone) => {
      // An offset such as +08:00 is legal for Intl but has no summer time of its own to follow.
      if (/^[+-]/.test(timezone)) return false
      try {
        formatOf(timezone)
        return true
      } catch {
        return false
      }
    },
    offset: (at, timezone) => {
      const minutes = Math.round(offsetMs(at, timezone) / 60_000)
      const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
      return `UTC${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
    },
    instant: (local, timezone) => {
      const wall = Date.parse(`${local}Z`)
      // The offset before a change finds the first of two equal times, and moves a skipped one behind the gap.
      const before = offsetMs(wall - 86_400_000, timezone)
      const after = offsetMs(wall + 86_400_000, timezone)
      const hit = [before, after]
        .map((offset) => wall - offset)
        .find((at) => offsetMs(at, timezone) === wall - at)
      return hit ?? wall - before
    },
  }
}
