import { describe, expect, it } from 'vitest'
import { pendingCard } from '../../../src/approval/pending-card.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import { parseGrants } from '../../../src/policy/grant.ts'
import { ZONE } from '../../support/zone.ts'
import { click, MINUTE, member, openRoom, openRow, outcomeOf, type Room } from './fixture.ts'

const grantsOf = async (room: Room) => {
  const session = await room.store.db
    .selectFrom('sessions')
    .select('grants')
    .where('id', '=', 's1')
    .executeTakeFirstOrThrow()
  return parseGrants(session.grants)
}

describe('approval of a group of tools', () => {
  it.each(['once', 'session'])(
    'one click allows the group for the session, whatever the click says: %s',
    async (scope) => {
      const room = await openRoom()
      const row = await openRow(room, 'c1', { group: 'browser' })
      const decided = await room.approvals.decide(click(row, { scope }))
      expect(outcomeOf(decided)).toBe('decided')
      expect((await room.approvals.byId(row.id))?.scope).toBe('session')
      expect(await grantsOf(room)).toEqual([
        {
          group: 'browser',
          requester: member.user,
          approvalId: row.id,
          expiresAt: room.clock.now() + 12 * 60 * MINUTE,
        },
      ])
    },
  )

  it('a refusal grants nothing', async () => {
    const room = await openRoom()
    const row = await openRow(room, 'c1', { group: 'browser' })
    await room.approvals.decide(click(row, { decision: 'deny' }))
    expect(await grantsOf(room)).toEqual([])
  })

  it('the card says what one click covers, and offers no other scope', async () => {
    const room = await openRoom()
    const row = await openRow(room, 'c1', { group: 'computer' })
    const { card } = pendingCard(row, createTranslate('zh-CN'), room.clock.now(), {
      codeBytes: 2_000,
      zone: ZONE,
    })
    expect(card.select).toBeUndefined()
    expect(JSON.stringify(card.blocks)).toContain('虚拟桌面的操作在本会话中不再逐次询问')
  })
})
