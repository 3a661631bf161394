import { describe, expect, it } from 'vitest'
import { settle } from '../../support/settle.ts'
import { daily, openRoom, type Room } from './fixture.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const at = (local: string): number => Date.parse(`${local}:00+08:00`)
const states = async (room: Room, id = 'daily'): Promise<string[]> =>
  (await room.slots(id)).map((slot) => `${slot.slot.slice(0, 16)} ${slot.state}`)
const texts = (room: Room): string[] =>
  room.sent.map(({ message }) => (message.type === 'markdown' ? message.markdown : message.type))

describe('a slot on time', () => {
  it('runs once, is delivered when the platform says so, and the history has the proof', async () => {
    const room = await openRoom({ start: at('2026-12-01T08:00') })
    await room.load([daily()])
    await room.scheduler.start()
    await room.clock.advance(HOUR - 1)
    expect(room.woken).toEqual([])
    await room.clock.advance(1)
    expect(room.woken).toEqual(['schedule:daily'])
    expect(await states(room)).toEqual(['2026-12-01T09:00 running'])
    await room.clock.advance(5_000)
    await room.playAll()
    const [slot] = await room.slots('daily')
    expect(slot).toMatchObject({
      state: 'delivered',
      started_at: at('2026-12-01T09:00'),
      ended_at: at('2026-12-01T09:00') + 5_000,
      deliveries: '["om_1"]',
    })
    expect(slot?.size).toBeGreaterThan(0)
    await room.clock.advance(DAY)
    expect(await states(room)).toEqual(['2026-12-01T09:00 delivered', '2026-12-02T09:00 running'])
  })

  it('R16: a wait of 40 days, by one timer that is longer than setTimeout can wait, ends on its minute', async () => {
    const room = await openRoom({ start: at('2026-12-01T09:00'), longestWaitMs: 60 * DAY })
    await room.load([daily({ cron: undefined, at: '2027-01-10T09:00' })])
    await room.scheduler.start()
    expect(room.clock.pending()).toBe(1)
    await room.clock.advance(40 * DAY - 1_000)
    expect(room.woken).toEqual([])
    await room.clock.advance(1_000)
    expect(room.woken).toEqual(['schedule:daily'])
    await room.playAll()
    await room.clock.advance(100 * DAY)
    expect(await states(room)).toEqual(['2027-01-10T09:00 delivered'])
  })

  it('jitter moves the run, not the slot, by the same amount every day and within its width', async () => {
    const room = await openRoom({ start: at('2026-12-01T08:00') })
    await room.load([daily({ jitter: '5m' })])
    await room.scheduler.start()
    for (const day of [0, 1]) {
      await room.clock.advance((day === 0 ? 1 : 24) * HOUR + (day === 0 ? 5 * 60_000 : 0))
      await room.playAll()
    }
    const slots = await room.slots('daily')
    const delays = slots.map((slot) => (slot.started_at ?? 0) - slot.due_at)
    expect(slots.map(({ slot }) => slot.slice(11, 16))).toEqual(['09:00', '09:00'])
    expect(delays[0]).toBeGreaterThan(0)
    expect(delays[0]).toBeLessThan(5 * 60_000)
    expect(delays[1]).toBe(delays[0])
  })
})

describe('R30: what came due while the service was down', () => {
  async function downFor(ms: number, missed: string, cron = '0 9 * * *'): Promise<Room> {
    const before = await openRoom({ start: at('2026-12-01T08:00') })
    await before.load([daily({ missed, cron })])
    await before.scheduler.start()
    await before.scheduler.stop()
    before.clock.jump(ms)
    const room = await openRoom({ clock: before.clock, store: before.store, seed: 'next' })
    await room.load([daily({ missed, cron })])
    await room.scheduler.start()
    return room
  }

  it('skip: nothing runs, the history says what was missed, the next one is on time', async () => {
    const room = await downFor(3 * DAY, 'skip')
    expect(await states(room)).toEqual([
      '2026-12-01T09:00 skipped',
      '2026-12-02T09:00 skipped',
      '2026-12-03T09:00 skipped',
    ])
    expect(room.woken).toEqual([])
    await room.clock.advance(HOUR)
    expect(room.woken).toEqual(['schedule:daily'])
  })

  it('once: the newest runs, with a note for the people', async () => {
    const room = await downFor(3 * DAY, 'once')
    await room.playAll()
    expect(await states(room)).toEqual(['2026-12-03T09:00 delivered'])
    expect(texts(room)[0]).toContain('只补发最近的一次（原定 2026-12-03T09:00')
  })

  it('all: at most three run, oldest first, one after the other', async () => {
    const room = await downFor(5 * DAY, 'all')
    expect(await states(room)).toEqual([
      '2026-12-03T09:00 running',
      '2026-12-04T09:00 queued',
      '2026-12-05T09:00 queued',
    ])
    for (let i = 0; i < 3; i++) await room.playAll()
    expect(texts(room).map((text) => /原定 (\S+)/.exec(text)?.[1])).toEqual([
      '2026-12-03T09:00',
      '2026-12-04T09:00',
      '2026-12-05T09:00',
    ])
  })

  it('a restart within two minutes is no miss: the slot runs without a note', async () => {
    const room = await downFor(HOUR + 90_000, 'skip')
    await room.playAll()
    expect(await states(room)).toEqual(['2026-12-01T09:00 delivered'])
    expect(texts(room)[0]).not.toContain('原定')
  })

  it('a job of every minute after 40 days down runs once and looks at no month of minutes', async () => {
    const room = await downFor(40 * DAY, 'once', '* * * * *')
    await room.playAll()
    expect(await states(room)).toEqual(['2027-01-10T08:00 delivered'])
  })
})

describe('R31: a slot that comes while the one before goes on', () => {
  async function overlapping(overlap: string): Promise<Room> {
    const room = await openRoom({ start: at('2026-12-01T08:00') })
    await room.load([daily({ cron: '0 * * * *', overlap })])
    await room.scheduler.start()
    await room.clock.advance(HOUR)
    await room.begin('schedule:daily')
    room.woken.length = 0
    await room.clock.advance(2 * HOUR)
    return room
  }
  const firstRun = async (room: Room): Promise<string> => (await room.slots('daily'))[0]?.run_id ?? ''

  it('forbid: it is skipped, and the history says why', async () => {
    const room = await overlapping('forbid')
    expect(await states(room)).toEqual([
      '2026-12-01T09:00 running',
      '2026-12-01T10:00 skipped',
      '2026-12-01T11:00 skipped',
    ])
    expect((await room.slots('daily'))[1]?.notes).toContain('overlap')
    await room.end('schedule:daily', await firstRun(room))
    await room.clock.advance(HOUR)
    expect((await states(room)).at(-1)).toBe('2026-12-01T12:00 running')
  })

  it('queue: one waits and begins when the one before is delivered; a second one is skipped', async () => {
    const room = await overlapping('queue')
    expect(await states(room)).toEqual([
      '2026-12-01T09:00 running',
      '2026-12-01T10:00 queued',
      '2026-12-01T11:00 skipped',
    ])
    await room.end('schedule:daily', await firstRun(room))
    expect((await states(room)).slice(0, 2)).toEqual([
      '2026-12-01T09:00 delivered',
      '2026-12-01T10:00 running',
    ])
  })

  it('replace: the run is asked to stop, and the newest begins once it has', async () => {
    const room = await overlapping('replace')
    expect(room.interrupted).toContain('schedule:daily')
    expect(await states(room)).toEqual([
      '2026-12-01T09:00 running',
      '2026-12-01T10:00 replaced',
      '2026-12-01T11:00 queued',
    ])
    await room.end('schedule:daily', await firstRun(room), 'stopped')
    expect(await states(room)).toEqual([
      '2026-12-01T09:00 replaced',
      '2026-12-01T10:00 replaced',
      '2026-12-01T11:00 running',
    ])
  })
})

describe('R15: clocks that jump', () => {
  it('an hour forward over the slot: it runs within a minute, as missed', async () => {
    const room = await openRoom({ start: at('2026-12-01T08:30') })
    await room.load([daily({ missed: 'once' })])
    await room.scheduler.start()
    room.clock.jump(HOUR)
    await room.clock.advance(60_000)
    await room.playAll()
    expect(await states(room)).toEqual(['2026-12-01T09:00 delivered'])
    expect(texts(room)[0]).toContain('现在补发')
  })

  it('a day back after the slot: it does not run again, and the next one comes on its day', async () => {
    const room = await openRoom({ start: at('2026-12-01T08:59') })
    await room.load([daily()])
    await room.scheduler.start()
    await room.clock.advance(60_000)
    await room.playAll()
    room.clock.jump(-DAY)
    await room.clock.advance(DAY)
    expect(await states(room)).toEqual(['2026-12-01T09:00 delivered'])
    await room.clock.advance(DAY)
    expect(await states(room)).toEqual(['2026-12-01T09:00 delivered', '2026-12-02T09:00 running'])
  }, 60_000)

  it('an hour back before the slot: it waits for its own time', async () => {
    const room = await openRoom({ start: at('2026-12-01T08:30') })
    await room.load([daily()])
    await room.scheduler.start()
    room.clock.jump(-HOUR)
    await room.clock.advance(HOUR)
    expect(room.woken).toEqual([])
    await room.clock.advance(HOUR / 2)
    expect(room.woken).toEqual(['schedule:daily'])
  })
})

describe('R33: several processes', () => {
  it('two schedulers over one store fire every slot once', async () => {
    const one = await openRoom({ start: at('2026-12-01T08:59') })
    const ids = Array.from({ length: 40 }, (_, n) => `job-${n}`)
    await one.load(ids.map((id) => daily({ id })))
    const two = await openRoom({ clock: one.clock, store: one.store, seed: 'two' })
    await Promise.all([one.scheduler.start(), two.scheduler.start()])
    await one.clock.advance(60_000)
    await settle()
    const woken = [...one.woken, ...two.woken]
    expect(woken.toSorted()).toEqual(ids.map((id) => `schedule:${id}`).toSorted())
    const rows = await one.store.db.selectFrom('inbox').select('dedupe').execute()
    expect(rows).toHaveLength(40)
  })

  it('what another process saved is noticed within a minute', async () => {
    const one = await openRoom({ start: at('2026-12-01T08:50') })
    await one.scheduler.start()
    const two = await openRoom({ clock: one.clock, store: one.store, seed: 'two' })
    await two.load([daily()])
    await one.clock.advance(10 * 60_000)
    expect(one.woken).toEqual(['schedule:daily'])
  })
})
