import { describe, expect, it } from 'vitest'
import { createZoneTime, isTimezone } from '../../../src/protocol/zone-time.ts'

const at = (text: string): number => Date.parse(text)

describe('times as people read them', () => {
  it.each([
    ['Asia/Shanghai', '2026-11-30T16:05:59Z', '2026-12-01 00:05'],
    ['UTC', '2026-11-30T16:05:00Z', '2026-11-30 16:05'],
    ['America/New_York', '2026-07-01T02:30:00Z', '2026-06-30 22:30'],
    ['America/New_York', '2026-12-01T02:30:00Z', '2026-11-30 21:30'],
    ['Asia/Kolkata', '2026-01-01T00:00:00Z', '2026-01-01 05:30'],
  ])('in %s %s is %s', (timezone, instant, words) => {
    expect(createZoneTime(timezone).show(at(instant))).toBe(words)
  })

  it.each([
    ['Asia/Shanghai', '2026-11-29T15:59:59Z', '2026-11-22T16:00:00Z'],
    ['Asia/Shanghai', '2026-11-29T16:00:00Z', '2026-11-29T16:00:00Z'],
    ['Asia/Shanghai', '2026-12-06T15:00:00Z', '2026-11-29T16:00:00Z'],
    // The clocks went back on Sunday, 1 November: that week began in summer time.
    ['America/New_York', '2026-11-02T04:00:00Z', '2026-10-26T04:00:00Z'],
    ['America/New_York', '2026-11-04T12:00:00Z', '2026-11-02T05:00:00Z'],
  ])('in %s the week of %s began at %s', (timezone, instant, monday) => {
    expect(new Date(createZoneTime(timezone).weekStart(at(instant)))).toEqual(new Date(monday))
  })

  it('zones are known by name', () => {
    expect(['Asia/Shanghai', 'UTC', 'Europe/Berlin'].every(isTimezone)).toBe(true)
    expect(['Asia/Beijing', '+08:00', ''].some(isTimezone)).toBe(false)
  })
})
