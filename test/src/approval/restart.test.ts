import { describe, expect, it } from 'vitest'
import { admin, bound, click, consume, MINUTE, openRoom, openRow, outcomeOf, statusOf } from './fixture.ts'

describe('restarts', () => {
  it('R6: five restarts later a row is still clickable, and runs once', async () => {
    let room = await openRoom({ config: { access: { admins: [admin.user] }, approval: { expires: '7d' } } })
    const { clock } = room
    const { dataDir } = room.store
    const row = await openRow(room, 'c1')
    for (let i = 0; i < 5; i++) {
      await room.store.close()
      await clock.advance(24 * 60 * MINUTE)
      room = await openRoom({ dataDir, clock, seed: `restart ${i}` })
      expect((await room.approvals.reconcile()).pending.map((one) => one.id)).toEqual([row.id])
    }
    expect(outcomeOf(await room.approvals.decide(click(row)))).toBe('decided')
    expect(await consume(room, row.id, row.digest)).toBe(true)
    expect(await consume(room, row.id, row.digest)).toBe(false)
  })

  it('R7/R8: a start finds what waits, what is approved but not begun, and what settled meanwhile', async () => {
    const room = await openRoom()
    const [waits, approved, expires] = [
      await openRow(room, 'c1'),
      await openRow(room, 'c2'),
      await openRow(room, 'c3'),
    ]
    await room.approvals.decide(click(approved))
    await room.store.db
      .updateTable('approvals')
      .set({ expires_at: room.clock.now() })
      .where('id', '=', expires.id)
      .execute()
    const found = await room.approvals.reconcile()
    expect(found.pending.map((row) => row.id)).toEqual([waits.id])
    expect(found.approved.map((row) => row.id)).toEqual([approved.id])
    expect(found.settled.map((row) => row.id).sort()).toEqual([approved.id, expires.id].sort())
    expect(room.settled.map((row) => row.status)).toEqual(['approved', 'expired'])
  })
})

describe('audit', () => {
  it('R41: when the audit row cannot be written, nothing is decided', async () => {
    const room = await openRoom()
    const row = await openRow(room, 'c1')
    await room.store.db.schema.dropTable('audit').execute()
    await expect(room.approvals.decide(click(row))).rejects.toThrow(/audit/)
    expect(await statusOf(room, row.id)).toBe('pending')
    expect(room.settled).toEqual([])
  })

  it('tells the life of an approval in a chain that verifies, without the secrets of the command', async () => {
    const room = await openRoom()
    const secret = 'curl -H "Authorization: Bearer abcdefghijklmnop1234" x.cn'
    const row = await openRow(room, 'c1', { bound: { ...bound, command: secret } })
    await room.approvals.decide(click(row))
    const lines = await room.audit.newest(2)
    expect(lines.map((line) => line.action)).toEqual(['approval.decided', 'approval.asked'])
    expect(lines[1]?.detail).toContain('Bearer ••••(20)')
    expect(lines[1]?.detail).not.toContain('abcdefghijklmnop')
    expect(await room.audit.verify()).toMatchObject({ ok: true, rows: 2 })
  })
})
