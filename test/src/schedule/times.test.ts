import { describe, expect, it } from 'vitest'
import { createCalendar } from '../../../src/schedule/calendar.ts'
import { createLocalTimes } from '../../../src/schedule/local-time.ts'
import { createTimes, type Rule } from '../../../src/schedule/times.ts'

const times = createTimes(createLocalTimes(), createCalendar())

/** Slots without their zone, and their instants in UTC. */
function next(rule: Partial<Rule>, from: string, count: number): [string, string][] {
  const whole: Rule = { timezone: 'Asia/Shanghai', calendar: 'all', ...rule }
  return times
    .upcoming(whole, Date.parse(from), count)
    .map(({ slot, at }) => [slot.split(' ')[0] ?? '', new Date(at).toISOString().slice(5, 16)])
}

describe('M23, R32: a slot is a local time and comes once', () => {
  it('New York, spring: a time that the clocks skip fires once, when they have moved on', () => {
    expect(next({ cron: '30 2 * * *', timezone: 'America/New_York' }, '2026-03-07T08:00Z', 3)).toEqual([
      ['2026-03-08T03:00', '03-08T07:00'],
      ['2026-03-09T02:30', '03-09T06:30'],
      ['2026-03-10T02:30', '03-10T06:30'],
    ])
  })

  it('New York, autumn: a time that comes twice fires once, at the first', () => {
    expect(next({ cron: '30 1 * * *', timezone: 'America/New_York' }, '2026-10-31T12:00Z', 2)).toEqual([
      ['2026-11-01T01:30', '11-01T05:30'],
      ['2026-11-02T01:30', '11-02T06:30'],
    ])
  })

  it('New York, autumn: every half hour does not run through the repeated hour again', () => {
    expect(next({ cron: '*/30 * * * *', timezone: 'America/New_York' }, '2026-11-01T04:40Z', 3)).toEqual([
      ['2026-11-01T01:00', '11-01T05:00'],
      ['2026-11-01T01:30', '11-01T05:30'],
      ['2026-11-01T02:00', '11-01T07:00'],
    ])
  })

  it('New York, spring: every half hour goes on after the gap without a double', () => {
    expect(next({ cron: '*/30 * * * *', timezone: 'America/New_York' }, '2026-03-08T06:10Z', 3)).toEqual([
      ['2026-03-08T01:30', '03-08T06:30'],
      ['2026-03-08T03:00', '03-08T07:00'],
      ['2026-03-08T03:30', '03-08T07:30'],
    ])
  })

  it('Lord Howe: half an hour is repeated, and skipped', () => {
    expect(next({ cron: '45 1 * * *', timezone: 'Australia/Lord_Howe' }, '2026-04-04T00:00Z', 2)).toEqual([
      ['2026-04-05T01:45', '04-04T14:45'],
      ['2026-04-06T01:45', '04-05T15:15'],
    ])
    expect(next({ cron: '15 2 * * *', timezone: 'Australia/Lord_Howe' }, '2026-10-03T00:00Z', 2)).toEqual([
      ['2026-10-04T02:30', '10-03T15:30'],
      ['2026-10-05T02:15', '10-04T15:15'],
    ])
  })

  it('Apia: the day that the island left out has no slot', () => {
    expect(next({ cron: '0 9 * * *', timezone: 'Pacific/Apia' }, '2011-12-28T00:00Z', 3)).toEqual([
      ['2011-12-28T09:00', '12-28T19:00'],
      ['2011-12-29T09:00', '12-29T19:00'],
      ['2011-12-31T09:00', '12-30T19:00'],
    ])
    expect(next({ cron: '0 9 30 12 *', timezone: 'Pacific/Apia' }, '2011-12-01T00:00Z', 1)).toEqual([
      ['2012-12-30T09:00', '12-29T19:00'],
    ])
  })

  it('Shanghai: no clock ever moves', () => {
    const all = times.upcoming(
      { cron: '30 2 * * *', timezone: 'Asia/Shanghai', calendar: 'all' },
      Date.parse('2026-01-01T00:00Z'),
      365,
    )
    expect(new Set(all.map(({ at }, i) => at - i * 86_400_000)).size).toBe(1)
  })

  it('a one-off at a time that comes twice takes the first; at one that is skipped, the time after', () => {
    const rule = { timezone: 'America/New_York' }
    expect(next({ ...rule, at: '2026-11-01T01:30' }, '2026-10-01T00:00Z', 5)).toEqual([
      ['2026-11-01T01:30', '11-01T05:30'],
    ])
    expect(next({ ...rule, at: '2026-03-08T02:30' }, '2026-03-01T00:00Z', 5)).toEqual([
      ['2026-03-08T02:30', '03-08T07:30'],
    ])
  })
})

describe('working days', () => {
  it('Monday to Friday leaves out the Spring Festival and takes in the Saturday worked instead', () => {
    const slots = next({ cron: '0 9 * * 1-5', calendar: 'workdays' }, '2026-02-13T02:00Z', 3)
    expect(slots.map(([slot]) => slot)).toEqual(['2026-02-14T09:00', '2026-02-24T09:00', '2026-02-25T09:00'])
  })

  it('the calendar does not change a schedule that does not ask for it', () => {
    const slots = next({ cron: '0 9 * * 1-5' }, '2026-02-13T02:00Z', 2)
    expect(slots.map(([slot]) => slot)).toEqual(['2026-02-16T09:00', '2026-02-17T09:00'])
  })

  it('names of days and months, the last day and the second Tuesday are understood', () => {
    expect(next({ cron: '0 9 * DEC MON' }, '2026-11-01T00:00Z', 1)[0]?.[0]).toBe('2026-12-07T09:00')
    expect(next({ cron: '0 9 L * *' }, '2026-02-01T00:00Z', 1)[0]?.[0]).toBe('2026-02-28T09:00')
    expect(next({ cron: '0 9 * * 2#2' }, '2026-12-01T00:00Z', 1)[0]?.[0]).toBe('2026-12-08T09:00')
  })
})

describe('what was missed', () => {
  const rule: Rule = { cron: '* * * * *', timezone: 'Asia/Shanghai', calendar: 'all' }
  it('finds the newest of a month of minutes without replaying the month', () => {
    const now = Date.parse('2026-12-01T00:00:30Z')
    const { latest, more } = times.missed(rule, now - 31 * 86_400_000, now, 3)
    expect(latest.map(({ slot }) => slot.slice(0, 16))).toEqual([
      '2026-12-01T07:58',
      '2026-12-01T07:59',
      '2026-12-01T08:00',
    ])
    expect(more).toBe(true)
  })
})
