import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkCalendar } from '../../../../src/cli/doctor/calendar.ts'
import { createSpeech } from '../../../../src/cli/doctor/speech.ts'
import { configSchema } from '../../../../src/config/schema.ts'
import { createTranslate } from '../../../../src/locale/index.ts'

const calendar = (now: string, file?: string) =>
  checkCalendar(
    configSchema.parse(file === undefined ? {} : { calendar: { file } }),
    Date.parse(now),
    createSpeech('en', createTranslate('en')),
  )

describe('the doctor and the calendar', () => {
  it('tells two months before that the holidays of the next year are missing', () => {
    expect(calendar('2026-10-01T00:00:00Z')).toEqual({
      ...{ check: 'calendar', ok: true, detail: 'holidays of 2025, 2026' },
    })
    expect(calendar('2026-11-30T00:00:00Z')).toMatchObject({
      ...{ check: 'calendar', unseen: true, detail: expect.stringContaining('2027 are not known') },
    })
  })

  it('is content once the operator has written them down, and names a file that cannot be read', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'yizhan-calendar-')), 'holidays.yaml')
    writeFileSync(file, '"2027": { off: [["02-05", "02-11"]], worked: ["02-13"] }')
    expect(calendar('2026-11-30T00:00:00Z', file)).toMatchObject({
      ok: true,
      detail: 'holidays of 2025, 2026, 2027',
    })
    expect(calendar('2026-11-30T00:00:00Z', '/nowhere.yaml')).toMatchObject({
      ...{ ok: false, detail: expect.stringContaining('/nowhere.yaml') },
    })
  })
})
