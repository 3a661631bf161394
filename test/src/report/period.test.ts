import { describe, expect, it } from 'vitest'
import { createTranslate } from '../../../src/locale/index.ts'
import { instantText, type PeriodName, periodOf, periodText, type Span } from '../../../src/report/period.ts'

const SHANGHAI = 'Asia/Shanghai'
/** Monday, 09:00 in Shanghai. */
const MONDAY = Date.parse('2026-11-30T01:00:00Z')
const shown = (span: Span, zone: string): string =>
  `${instantText(span.from, zone)} ~ ${instantText(span.to, zone)}`

describe('periods', () => {
  it.each<[PeriodName, string, string]>([
    ['today', '2026-11-30 ~ 2026-11-30 09:00:00', '2026-11-29 ~ 2026-11-29 09:00:00'],
    ['yesterday', '2026-11-29 ~ 2026-11-30', '2026-11-28 ~ 2026-11-29'],
    ['this_week', '2026-11-30 ~ 2026-11-30 09:00:00', '2026-11-23 ~ 2026-11-23 09:00:00'],
    ['last_week', '2026-11-23 ~ 2026-11-30', '2026-11-16 ~ 2026-11-23'],
    ['this_month', '2026-11-01 ~ 2026-11-30 09:00:00', '2026-10-01 ~ 2026-10-30 09:00:00'],
    ['last_month', '2026-10-01 ~ 2026-11-01', '2026-09-01 ~ 2026-10-01'],
    ['last_7_days', '2026-11-23 ~ 2026-11-30', '2026-11-16 ~ 2026-11-23'],
    ['last_30_days', '2026-10-31 ~ 2026-11-30', '2026-10-01 ~ 2026-10-31'],
  ])('%s on a Monday morning in Shanghai', (name, now, before) => {
    const period = periodOf(name, MONDAY, SHANGHAI)
    expect([shown(period.now, SHANGHAI), shown(period.before, SHANGHAI)]).toEqual([now, before])
  })

  it('R32: a day of 23 and of 25 hours begins and ends at midnight', () => {
    const zone = 'America/New_York'
    for (const [at, hours] of [
      ['2026-03-09T12:00:00Z', 23],
      ['2026-11-02T12:00:00Z', 25],
    ] as const) {
      const { now } = periodOf('yesterday', Date.parse(at), zone)
      expect((now.to - now.from) / 3_600_000).toBe(hours)
      expect(shown(now, zone)).toMatch(/^2026-\d\d-\d\d ~ 2026-\d\d-\d\d$/)
    }
  })

  it('a running month is never compared with more than the whole month before', () => {
    const { before } = periodOf('this_month', Date.parse('2026-03-31T04:00:00Z'), SHANGHAI)
    expect(shown(before, SHANGHAI)).toBe('2026-02-01 ~ 2026-03-01')
  })

  it('is said in words', () => {
    const text = createTranslate('zh-CN')
    expect(periodText(periodOf('yesterday', MONDAY, SHANGHAI), SHANGHAI, text)).toBe('昨天（11月29日）')
    expect(periodText(periodOf('last_week', MONDAY, SHANGHAI), SHANGHAI, text)).toBe(
      '上周（11月23日至11月29日）',
    )
  })
})
