import { describe, expect, it } from 'vitest'
import { settle } from '../../support/settle.ts'
import { click, FIELDS, NINE, STRANGER } from './confirmed.ts'
import { ADMIN, asker, CREATOR, GROUP, openRoom } from './fixture.ts'

describe('a proposal', () => {
  it('saves nothing until it is confirmed; the card shows times, destination, prompt, rules and creator', async () => {
    const room = await openRoom({ start: NINE })
    await room.desk.propose({ action: 'create', fields: FIELDS }, asker(), 'call-1')
    await settle()
    expect(await room.store.db.selectFrom('schedules').selectAll().execute()).toEqual([])
    const card = JSON.stringify(room.sent[0]?.message)
    for (const words of [
      '2026-12-01 09:00',
      '2026-12-05 09:00',
      '本会话',
      '昨天的销售额',
      '李四',
      '错过后补一次',
    ])
      expect(card).toContain(words)
  })

  it('a repeated call of the tool sends one card, a second click changes nothing', async () => {
    const room = await openRoom({ start: NINE })
    for (let i = 0; i < 2; i++)
      await room.desk.propose({ action: 'create', fields: FIELDS }, asker(), 'call-1')
    await settle()
    expect(room.sent).toHaveLength(1)
    const first = await click(room, 0, CREATOR)
    const second = await click(room, 1, ADMIN)
    expect(first?.toast?.tone).toBe('success')
    expect(second?.toast?.text).toContain('已经处理过了')
    expect(second?.card?.buttons).toEqual([])
    const rows = await room.store.db.selectFrom('schedules').select('state').execute()
    expect(rows).toEqual([{ state: 'active' }])
  })

  it('neither strangers nor outsiders nor bots confirm, and not from another chat or with a made-up nonce', async () => {
    const room = await openRoom({ start: NINE })
    await room.desk.propose({ action: 'create', fields: FIELDS }, asker(), 'call-1')
    const base = { user: CREATOR, isBot: false, isExternal: false }
    const tries = [
      await click(room, 0, STRANGER),
      await click(room, 0, CREATOR, { operator: { ...base, isExternal: true } }),
      await click(room, 0, CREATOR, { operator: { ...base, isBot: true } }),
      await click(room, 0, CREATOR, { address: { ...GROUP, chatId: 'oc_other' } }),
      await click(room, 0, CREATOR, {
        value: { k: 'schedule', p: 'a'.repeat(26), d: 'confirm', n: 'b'.repeat(26) },
      }),
    ]
    expect(tries.map((one) => one?.toast?.tone)).toEqual(['error', 'error', 'error', 'error', 'error'])
    expect(await room.store.db.selectFrom('schedules').selectAll().execute()).toEqual([])
    expect(await click(room, 0, CREATOR, { value: { a: 'x' } })).toBeUndefined()
  })

  it('cancelled or expired, it saves nothing', async () => {
    const room = await openRoom({ start: NINE })
    await room.desk.propose({ action: 'create', fields: FIELDS }, asker(), 'call-1')
    expect((await click(room, 1, CREATOR))?.toast?.text).toContain('已取消')
    await room.desk.propose({ action: 'create', fields: FIELDS }, asker(), 'call-2')
    await settle()
    room.clock.jump(25 * 3_600_000)
    expect((await click(room, 0, CREATOR))?.toast?.text).toContain('已过期')
    expect(await room.store.db.selectFrom('schedules').selectAll().execute()).toEqual([])
  })
})
