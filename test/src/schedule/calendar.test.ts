import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createCalendar } from '../../../src/schedule/calendar.ts'

function file(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'yizhan-calendar-')), 'holidays.yaml')
  writeFileSync(path, text)
  return path
}

const workdaysOf = (year: number, calendar = createCalendar()): number =>
  Array.from({ length: 365 }, (_, day) =>
    new Date(Date.UTC(year, 0, 1 + day)).toISOString().slice(0, 10),
  ).filter((date) => calendar.isWorkday(date)).length

describe('the calendar of mainland China', () => {
  it('knows 2025 and 2026: holidays, and weekends that are worked', () => {
    const calendar = createCalendar()
    expect(calendar.years).toEqual(['2025', '2026'])
    expect(calendar.isWorkday('2026-10-05')).toBe(false)
    expect(calendar.isWorkday('2026-10-10')).toBe(true)
    expect(calendar.isWorkday('2026-10-11')).toBe(false)
    expect(calendar.isWorkday('2025-01-26')).toBe(true)
    expect(calendar.isWorkday('2025-06-02')).toBe(false)
  })

  it('counts the working days that the notices leave: 248 in 2025 and in 2026', () => {
    expect(workdaysOf(2025)).toBe(248)
    expect(workdaysOf(2026)).toBe(248)
  })

  it('in a year without a notice only the days of a fixed date are off, and it says that it does not know', () => {
    const calendar = createCalendar()
    expect(calendar.knows('2027-02-08')).toBe(false)
    expect(calendar.isWorkday('2027-02-08')).toBe(true)
    for (const day of ['2027-01-01', '2031-05-01', '2031-05-02', '2027-10-01', '2029-10-03'])
      expect(calendar.isWorkday(day), day).toBe(false)
    expect(calendar.isWorkday('2027-10-04')).toBe(true)
    // A year that is known has its own days only.
    expect(calendar.isWorkday('2026-05-06')).toBe(true)
  })

  it('an override file adds a year and replaces one whole', () => {
    const calendar = createCalendar(
      file('"2027":\n  off: [["02-05", "02-11"]]\n  worked: ["02-13"]\n"2026": { off: [] }\n'),
    )
    expect(calendar.knows('2027-02-08')).toBe(true)
    expect(calendar.isWorkday('2027-02-08')).toBe(false)
    expect(calendar.isWorkday('2027-02-13')).toBe(true)
    expect(calendar.isWorkday('2026-10-05')).toBe(true)
  })

  it('a file that cannot be used is refused with its place', () => {
    expect(() => createCalendar(file('"2027": { off: [["13-01"]] }'))).toThrow(/2027.*\n?.*MM-DD|MM-DD/s)
    expect(() => createCalendar('/nowhere/holidays.yaml')).toThrow(/holidays\.yaml cannot be used/)
  })
})
