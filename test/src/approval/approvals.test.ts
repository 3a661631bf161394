import { describe, expect, it } from 'vitest'
import { parseGrants } from '../../../src/policy/grant.ts'
import {
  admin,
  click,
  consume,
  group,
  MINUTE,
  member,
  openRoom,
  openRow,
  outcomeOf,
  person,
  type Room,
  statusOf,
} from './fixture.ts'

describe('deciding', () => {
  it('the admin allows: the row says who and when, others are told once', async () => {
    const room = await openRoom()
    const row = await openRow(room, 'c1')
    await room.clock.advance(MINUTE)
    expect(outcomeOf(await room.approvals.decide(click(row)))).toBe('decided')
    expect(room.settled).toHaveLength(1)
    expect(room.settled[0]).toMatchObject({
      status: 'approved',
      scope: 'once',
      decided_by: admin.user,
      decided_name: '管理员',
      decided_at: room.clock.now(),
    })
  })

  it('C1: a forged id, a wrong nonce and a nonce of another row find nothing', async () => {
    const room = await openRoom()
    const [row, other] = [await openRow(room, 'c1'), await openRow(room, 'c2')]
    for (const target of [
      { by: 'card' as const, approvalId: 'a'.repeat(26), nonce: row.nonce },
      { by: 'card' as const, approvalId: row.id, nonce: 'x'.repeat(26) },
      { by: 'card' as const, approvalId: row.id, nonce: '' },
      { by: 'card' as const, approvalId: row.id, nonce: other.nonce },
    ]) {
      expect(await room.approvals.decide(click(row, { target }))).toEqual({ outcome: 'not_found' })
    }
    expect(await statusOf(room, row.id)).toBe('pending')
    expect((await room.audit.newest(4)).map((line) => line.action)).toEqual(
      Array(4).fill('approval.not_found'),
    )
  })

  it.each([
    ['C2: a member', person('feishu:ou_x', '管理员'), 'refused:not_approver'],
    ['C3: the requester', member, 'refused:self'],
    ['C4: a bot', { ...admin, isBot: true }, 'refused:bot'],
    ['C21: an external person', { ...admin, isExternal: true }, 'refused:external'],
    ['C2: a group id', person('feishu:oc_1'), 'refused:not_approver'],
    ['an unknown person', person('unknown:1'), 'refused:unknown'],
  ])('%s is refused and the row stays pending', async (_name, operator, expected) => {
    const room = await openRoom()
    const row = await openRow(room, 'c1')
    expect(outcomeOf(await room.approvals.decide(click(row, { operator })))).toBe(expected)
    expect(await statusOf(room, row.id)).toBe('pending')
    expect(room.settled).toEqual([])
    expect((await room.audit.newest(1))[0]).toMatchObject({
      action: 'approval.refused',
      actor: operator.user,
    })
  })

  it('C2: judged at the click: somebody who is no admin any more is refused', async () => {
    const room = await openRoom()
    const row = await openRow(room, 'c1')
    const later = await openRoom({
      dataDir: room.store.dataDir,
      clock: room.clock,
      config: { access: { admins: ['feishu:ou_new'] } },
    })
    expect(outcomeOf(await later.approvals.decide(click(row)))).toBe('refused:not_approver')
    expect(outcomeOf(await later.approvals.decide(click(row, { operator: person('feishu:ou_new') })))).toBe(
      'decided',
    )
  })

  it('C5: the same click five times is one transition with one result', async () => {
    const room = await openRoom()
    const row = await openRow(room, 'c1')
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => room.approvals.decide(click(row))))
    expect(outcomes.map(outcomeOf).sort()).toEqual(['already', 'already', 'already', 'already', 'decided'])
    expect(room.settled).toHaveLength(1)
  })

  it('C7: at expires_at exactly it is expired, one millisecond before it is not', async () => {
    const room = await openRoom()
    const [a, b] = [await openRow(room, 'c1'), await openRow(room, 'c2')]
    await room.clock.advance(30 * MINUTE - 1)
    expect(outcomeOf(await room.approvals.decide(click(a)))).toBe('decided')
    await room.clock.advance(1)
    expect(outcomeOf(await room.approvals.decide(click(b)))).toBe('expired')
    expect(outcomeOf(await room.approvals.decide(click(b)))).toBe('expired')
    expect(await statusOf(room, b.id)).toBe('expired')
    expect(await consume(room, b.id, b.digest)).toBe(false)
    expect(room.settled.map((row) => row.status)).toEqual(['approved', 'expired'])
  })

  it('C7: a clock set back by an hour brings nothing back', async () => {
    const room = await openRoom()
    const row = await openRow(room, 'c1')
    await room.clock.advance(31 * MINUTE)
    room.clock.jump(-60 * MINUTE)
    expect(outcomeOf(await room.approvals.decide(click(row)))).toBe('expired')
  })

  it('C8: /stop cancels what waits and what is approved but not begun, in this session only', async () => {
    const room = await openRoom()
    const rows = [
      await openRow(room, 'c1'),
      await openRow(room, 'c2'),
      await openRow(room, 'c3', { sessionId: 's2' }),
    ]
    const [first, second, other] = rows
    if (!first || !second || !other) throw new Error('three rows were opened')
    await room.approvals.decide(click(second))
    expect(await room.approvals.cancelSession('s1', member.user)).toHaveLength(2)
    expect(outcomeOf(await room.approvals.decide(click(first)))).toBe('already')
    expect(await consume(room, second.id, second.digest)).toBe(false)
    expect(await statusOf(room, other.id)).toBe('pending')
  })

  it('C8: a superseded run loses its own approvals only', async () => {
    const room = await openRoom()
    const [a, b] = [await openRow(room, 'c1'), await openRow(room, 'c2', { runId: 'r2' })]
    await room.approvals.cancelSession('s1', 'system', { runId: 'r1' })
    expect([await statusOf(room, a.id), await statusOf(room, b.id)]).toEqual(['cancelled', 'pending'])
  })

  it('C9: another chat, another bot and another message are refused even for an approver', async () => {
    const room = await openRoom()
    const row = await openRow(room, 'c1')
    await addCardMessage(room, row.id, 'om_card')
    const decide = (extra: object) => room.approvals.decide(click(row, extra)).then(outcomeOf)
    expect(await decide({ address: { ...group, chatId: 'oc_9' } })).toBe('refused:elsewhere')
    expect(await decide({ address: { ...group, botId: 'other' } })).toBe('refused:elsewhere')
    expect(await decide({ messageId: 'om_forwarded' })).toBe('refused:elsewhere')
    expect(await statusOf(room, row.id)).toBe('pending')
    expect(await decide({ messageId: 'om_card' })).toBe('decided')
  })

  it('C16: an old card id with the nonce of another approval is refused', async () => {
    const room = await openRoom()
    const old = await openRow(room, 'c1')
    await room.approvals.decide(click(old, { decision: 'deny' }))
    const fresh = await openRow(room, 'c2')
    const target = { by: 'card' as const, approvalId: fresh.id, nonce: old.nonce }
    expect((await room.approvals.decide(click(fresh, { target }))).outcome).toBe('not_found')
  })

  it('C22: a scope that was not offered is refused', async () => {
    const room = await openRoom()
    const row = await openRow(room, 'c1')
    for (const scope of ['session', 'always', '']) {
      expect(outcomeOf(await room.approvals.decide(click(row, { scope })))).toBe('refused:not_offered')
    }
    expect(outcomeOf(await room.approvals.decide(click(row, { scope: 'session', decision: 'deny' })))).toBe(
      'decided',
    )
  })

  it('C19: "for this session" leaves a grant with the exact words', async () => {
    const room = await openRoom()
    const row = await openRow(room, 'c1', { grant: ['touch', 'a'] })
    await room.approvals.decide(click(row, { scope: 'session' }))
    const session = await room.store.db
      .selectFrom('sessions')
      .select('grants')
      .where('id', '=', 's1')
      .executeTakeFirstOrThrow()
    expect(parseGrants(session.grants)).toEqual([
      {
        argv: ['touch', 'a'],
        tool: 'shell',
        profile: 'bubblewrap net=none',
        cwd: '/w/s1',
        requester: member.user,
        approvalId: row.id,
        expiresAt: room.clock.now() + 12 * 60 * MINUTE,
      },
    ])
  })

  it('by code: the same judgement as a click', async () => {
    const room = await openRoom()
    const row = await openRow(room, 'c1')
    const target = { by: 'code' as const, code: row.code }
    expect(outcomeOf(await room.approvals.decide(click(row, { target, operator: member })))).toBe(
      'refused:self',
    )
    expect(
      (await room.approvals.decide(click(row, { target: { by: 'code', code: 'ZZZ999' } }))).outcome,
    ).toBe('not_found')
    expect(
      outcomeOf(await room.approvals.decide(click(row, { target, decision: 'deny', reason: '先备份' }))),
    ).toBe('decided')
    expect(await room.approvals.byId(row.id)).toMatchObject({
      status: 'denied',
      reason: '先备份',
      scope: null,
    })
  })

  it('C17: a decision stands when nobody could be told of it', async () => {
    const room = await openRoom({ onSettled: () => Promise.reject(new Error('platform is down')) })
    const row = await openRow(room, 'c1')
    expect(outcomeOf(await room.approvals.decide(click(row)))).toBe('decided')
    expect(await statusOf(room, row.id)).toBe('approved')
    expect(room.lines.map((line) => line.level)).toEqual(['warn'])
  })
})

async function addCardMessage(room: Room, approvalId: string, messageId: string): Promise<void> {
  await room.store.db
    .insertInto('outbox')
    .values({
      key: approvalId,
      chat_key: 'k',
      session_id: 's1',
      bot_id: 'ops',
      address: '{}',
      ref: `card:${approvalId}`,
      payload: '{}',
      priority: 'high',
      state: 'sent',
      attempts: 1,
      next_at: 0,
      deadline: 0,
      prepared: null,
      sent: JSON.stringify({ messageId, handle: {} }),
      error: null,
      created_at: 0,
      sent_at: 0,
    })
    .execute()
}
