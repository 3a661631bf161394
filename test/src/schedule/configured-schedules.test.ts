import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { apiBucket, chatBucket } from '../../../adapters/feishu/api/bucket.ts'
import { createCallScheduler } from '../../../src/outbound/scheduler.ts'
import type { Reports } from '../../../src/protocol/report.ts'
import { createSqliteDialect } from '../../../src/store/dialects/sqlite.ts'
import { openWithDialect } from '../../../src/store/store.ts'
import { createManualClock } from '../../support/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'
import { settle } from '../../support/settle.ts'
import { isEmbedded } from '../../support/store.ts'
import { daily, openRoom } from './fixture.ts'

const at = (local: string): number => Date.parse(`${local}:00+08:00`)

/** A report with a text and a picture, at no cost. */
const reports: Reports = {
  names: () => [{ name: 'sales', about: 'sales', params: [] }],
  validate: () => undefined,
  render: async () => ({
    markdown: '昨天 1 234 元',
    images: [{ name: 'chart.png', bytes: new Uint8Array(10) }],
    files: [],
    summary: '1 234',
    sizeBytes: 30,
  }),
}

describe('many schedules', () => {
  /**
   * 500 reports of one minute into 500 chats are 1,000 messages, a text and a picture each. Feishu takes
   * 50 messages a second and 1,000 a minute from one app, and 5 a second per chat. The chats do not
   * matter (2 messages each); 1,000 messages fill 20 windows of 50, the first at once. A window is a
   * second and the 150 ms by which calls may come closer together on the way: the last one leaves
   * 19 × 1.15 s after nine o'clock. Only the limits make it wait.
   */
  it('500 due in one minute reach 500 chats within the limits, in order, none later than the limits force', async () => {
    const clock = createManualClock(at('2026-12-01T08:59'))
    const pace = createCallScheduler(clock)
    const room = await openRoom({
      clock,
      store: await openWithDialect(createSqliteDialect(':memory:'), createCollectingLogger()),
      reports,
      onSend: (chatId) =>
        pace.run(
          {
            buckets: [apiBucket('cli', 'messages'), chatBucket(chatId)],
            priority: 'high',
            lane: chatId,
          },
          async () => {},
        ),
    })
    const chats = Array.from({ length: 500 }, (_, n) => `oc_${n}`)
    await room.load(
      chats.map((chat, n) =>
        daily({ id: `job-${n}`, to: { bot: 'ops', chat }, prompt: undefined, report: 'sales' }),
      ),
    )
    await room.scheduler.start()
    await clock.advance(60_000)
    for (let i = 0; i < 200 && room.sent.length < 50; i++) await settle()
    for (let second = 0; second < 25; second++) {
      await clock.advance(1_000)
      await settle()
    }
    const nine = at('2026-12-01T09:00')
    expect(room.sent).toHaveLength(1_000)
    for (const chat of chats) {
      const messages = room.sent.filter(({ chatId }) => chatId === chat).map(({ message }) => message.type)
      expect(messages).toEqual(['markdown', 'file'])
    }
    const perSecond = Map.groupBy(room.sent, (one) => Math.floor((one.at - nine) / 1_000))
    expect(Math.max(...[...perSecond.values()].map((all) => all.length))).toBeLessThanOrEqual(50)
    expect(Math.max(...room.sent.map((one) => one.at - nine))).toBeLessThanOrEqual(22_000)
    await settle()
    const states = await room.store.db.selectFrom('schedule_slots').select('state').distinct().execute()
    expect(states).toEqual([{ state: 'delivered' }])
  }, 120_000)

  it.runIf(isEmbedded)(
    '10,000 cost one timer, and what is due is read through the index alone',
    async () => {
      const room = await openRoom({ start: at('2026-12-01T08:00') })
      await room.load([daily()])
      await sql`
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
      INSERT INTO schedules
      SELECT 'job-' || i, source, state, reason, spec, bot_id, chat_id, creator, authority, last_slot,
        next_slot, next_due, next_at + i * 1000, created_at, updated_at FROM schedules, n WHERE id = 'daily'
    `.execute(room.store.db)
      await room.scheduler.start()
      expect(room.clock.pending()).toBe(1)
      const plan = await sql<{ detail: string }>`
      EXPLAIN QUERY PLAN SELECT * FROM schedules
      WHERE next_at IS NOT NULL AND next_at <= 1 ORDER BY next_at, id LIMIT 50
    `.execute(room.store.db)
      expect(plan.rows.map(({ detail }) => detail).join('\n')).toContain('USING INDEX schedules_due')
      expect(plan.rows.map(({ detail }) => detail).join('\n')).not.toMatch(/SCAN schedules(?! USING INDEX)/)
      await room.clock.advance(3_600_000 + 5_500)
      expect(room.woken).toHaveLength(6)
      expect(room.clock.pending()).toBe(1)
    },
    60_000,
  )
})
