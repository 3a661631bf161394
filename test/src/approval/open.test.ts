import { describe, expect, it } from 'vitest'
import {
  bound,
  click,
  consume,
  group,
  MINUTE,
  openRoom,
  openRow,
  type Room,
  request,
  statusOf,
} from './fixture.ts'

/** Somebody said it so long ago. */
const mute = (room: Room, ms: number, agoMs = 0): Promise<boolean> =>
  room.store.transaction((trx) => room.approvals.mute(trx, group, { ms, agoMs, by: 'feishu:ou_admin' }))

describe('asking', () => {
  it('is idempotent by session, call and digest', async () => {
    const room = await openRoom()
    const row = await openRow(room, 'c1')
    expect(await room.approvals.open(request('c1'))).toEqual({ outcome: 'known', row })
    expect(await room.approvals.pendingFor('s1')).toHaveLength(1)
    expect(row).toMatchObject({ status: 'pending', quorum: 1, approvers: '["feishu:ou_admin"]' })
    expect(row.expires_at - row.created_at).toBe(30 * MINUTE)
  })

  it('C10: another call under the same id takes the old approval back and asks anew', async () => {
    const room = await openRoom()
    const row = await openRow(room, 'c1')
    await room.approvals.decide(click(row))
    const changed = await openRow(room, 'c1', { bound: { ...bound, command: 'rm -r build ' } })
    expect(changed.id).not.toBe(row.id)
    expect(await statusOf(room, row.id)).toBe('cancelled')
    expect(await consume(room, row.id, row.digest)).toBe(false)
  })

  it('C20: no more than five wait in one chat; another chat is not affected', async () => {
    const room = await openRoom()
    for (let i = 0; i < 5; i++) await openRow(room, `c${i}`)
    expect(await room.approvals.open(request('c5'))).toEqual({ outcome: 'refused', reason: 'too_many' })
    await openRow(room, 'c6', { address: { ...group, chatId: 'oc_2' } })
    await room.clock.advance(30 * MINUTE)
    await openRow(room, 'c7')
  })

  it('C20: one run asks for the same thing three times at most, another run may ask again', async () => {
    const room = await openRoom()
    for (const id of ['c1', 'c2', 'c3']) {
      await room.approvals.decide(click(await openRow(room, id), { decision: 'deny' }))
    }
    expect(await room.approvals.open(request('c4'))).toEqual({ outcome: 'refused', reason: 'asked_before' })
    await openRow(room, 'c5', { bound: { ...bound, command: 'rm -r dist' } })
    await openRow(room, 'c6', { runId: 'r2' })
  })

  it('C20: in a muted chat nobody is asked until the time is over; what waits can still be decided', async () => {
    const room = await openRoom()
    const waiting = await openRow(room, 'c1')
    expect(await mute(room, 10 * MINUTE)).toBe(true)
    expect(await room.approvals.open(request('c2'))).toEqual({ outcome: 'refused', reason: 'muted' })
    await openRow(room, 'c3', { address: { ...group, chatId: 'oc_2' } })
    expect((await room.approvals.decide(click(waiting))).outcome).toBe('decided')
    await room.clock.advance(10 * MINUTE)
    await openRow(room, 'c2')
  })

  it('C20: a mute is on the record, survives a restart, and can be ended', async () => {
    const room = await openRoom()
    expect(await mute(room, 10 * MINUTE)).toBe(true)
    const again = await openRoom({ dataDir: room.store.dataDir, clock: room.clock })
    expect(await again.approvals.open(request('c1'))).toEqual({ outcome: 'refused', reason: 'muted' })
    expect(await mute(again, 0)).toBe(true)
    await openRow(again, 'c1', {})
    const noted = await room.store.db.selectFrom('audit').select(['actor', 'action']).execute()
    expect(noted.slice(0, 2)).toEqual(
      Array.from({ length: 2 }, () => ({ actor: 'feishu:ou_admin', action: 'approval.muted' })),
    )
  })

  it('C20: a mute that is carried out late undoes nothing that was said since, and lasts no longer', async () => {
    const room = await openRoom()
    await room.clock.advance(60 * MINUTE)
    expect(await mute(room, 30 * MINUTE, 20 * MINUTE)).toBe(true)
    expect(await room.approvals.mutedUntil(group)).toBe(room.clock.now() + 10 * MINUTE)
    expect(await mute(room, 0, 5 * MINUTE)).toBe(true)
    expect(await mute(room, 60 * MINUTE, 15 * MINUTE)).toBe(false)
    await openRow(room, 'c1')
    const noted = await room.store.db.selectFrom('audit').select('action').execute()
    expect(noted.map(({ action }) => action)).toEqual(['approval.muted', 'approval.muted', 'approval.asked'])
  })

  it('C20: a mute from before the clock was set back does not outlive the next word', async () => {
    const room = await openRoom()
    await mute(room, 10 * MINUTE)
    room.clock.jump(-60 * MINUTE)
    const again = await openRoom({ dataDir: room.store.dataDir, clock: room.clock })
    expect(await mute(again, 0)).toBe(true)
    await openRow(again, 'c1')
  })

  it('R24: a click that comes before it is known which message holds the card decides', async () => {
    const room = await openRoom()
    const row = await openRow(room, 'c1')
    expect((await room.approvals.decide(click(row, { messageId: 'om_card' }))).outcome).toBe('decided')
  })

  it('says at once when nobody could decide', async () => {
    const room = await openRoom({ config: {} })
    expect(await room.approvals.open(request('c1'))).toEqual({ outcome: 'refused', reason: 'nobody' })
  })
})

describe('using', () => {
  it('C11: consumed once, never again, and only for its own digest', async () => {
    const room = await openRoom()
    const row = await openRow(room, 'c1')
    expect(await consume(room, row.id, row.digest)).toBe(false)
    await room.approvals.decide(click(row))
    expect(await consume(room, row.id, 'f'.repeat(64))).toBe(false)
    const results = await Promise.all([consume(room, row.id, row.digest), consume(room, row.id, row.digest)])
    expect(results.sort()).toEqual([false, true])
    expect(await room.approvals.byId(row.id)).toMatchObject({
      status: 'consumed',
      consumed_at: room.clock.now(),
    })
  })

  it('C11: what rolls back leaves the approval usable', async () => {
    const room = await openRoom()
    const row = await openRow(room, 'c1')
    await room.approvals.decide(click(row))
    const failing = room.store.transaction(async (trx) => {
      expect(await room.approvals.consume(trx, row.id, row.digest)).toBe(true)
      throw new Error('the intent could not be written')
    })
    await expect(failing).rejects.toThrow('the intent could not be written')
    expect(await consume(room, row.id, row.digest)).toBe(true)
  })

  it('C18: a stop after the approval is honoured', async () => {
    const room = await openRoom()
    const row = await openRow(room, 'c1')
    await room.approvals.decide(click(row))
    await room.store.db.updateTable('sessions').set({ stop_requested: 1 }).where('id', '=', 's1').execute()
    expect(await consume(room, row.id, row.digest)).toBe(false)
    expect(await statusOf(room, row.id)).toBe('approved')
  })
})
