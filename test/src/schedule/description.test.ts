import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createTranslate } from '../../../src/locale/index.ts'
import { createCalendar } from '../../../src/schedule/calendar.ts'
import { whenWords } from '../../../src/schedule/description.ts'
import { createLocalTimes } from '../../../src/schedule/local-time.ts'
import { createTimes } from '../../../src/schedule/times.ts'
import { createManualClock } from '../../support/clock.ts'

function saidAt(now: string, calendarFile?: string): string {
  const [local, calendar] = [createLocalTimes(), createCalendar(calendarFile)]
  const deps = {
    ...{ local, calendar, times: createTimes(local, calendar) },
    clock: createManualClock(Date.parse(now)),
  }
  const spec = { cron: '0 9 * * 1-5', timezone: 'Asia/Shanghai', calendar: 'workdays' } as const
  return whenWords(deps, spec, createTranslate('zh-CN'))
}

describe('a schedule of working days', () => {
  it('says two months before that the holidays of the next year are not known, and where they go', () => {
    expect(saidAt('2026-10-20T00:00:00Z')).not.toContain('2027')
    const said = saidAt('2026-11-30T00:00:00Z')
    expect(said).toContain('2027 年的放假安排还没有录入')
    expect(said).toContain('calendar.file')
    expect(saidAt('2027-03-01T00:00:00Z')).toContain('2027 年的放假安排还没有录入')
  })

  it('says nothing of it once the operator has written them into the file', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'yizhan-calendar-')), 'holidays.yaml')
    writeFileSync(file, '"2027":\n  off: [["02-05", "02-11"]]\n  worked: ["02-13"]\n')
    expect(saidAt('2026-11-30T00:00:00Z', file)).not.toContain('2027')
  })
})
