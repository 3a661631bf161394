import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { canonicalCall } from '../../../src/approval/canonical-call.ts'
import { parseGrants } from '../../../src/policy/grant.ts'
import {
  admin,
  bound,
  click,
  group,
  member,
  openRoom,
  openRow,
  person,
  type Room,
  request,
} from './fixture.ts'

const MINUTE = 60_000
const outcomeOf = (decision: { outcome: string; reason?: string }): string =>
  decision.reason === undefined ? decision.outcome : `${decision.outcome}:${decision.reason}`
const statusOf = async (room: Room, id: string) => (await room.approvals.byId(id))?.status
const consume = (room: Room, id: string, digest: string) =>
  room.store.transaction((trx) => room.approvals.consume(trx, id, digest))

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

  it('says at once when nobody could decide', async () => {
    const room = await openRoom({ config: {} })
    expect(await room.approvals.open(request('c1'))).toEqual({ outcome: 'refused', reason: 'nobody' })
  })
})

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

describe('C6: two deciders', () => {
  it('of allow and deny in two threads exactly one wins, in each of 1,000 rounds', async () => {
    const room = await openRoom({
      config: { access: { admins: [admin.user] }, approval: { maxPendingPerChat: 2_000 } },
    })
    const rows: { id: string; nonce: string }[] = []
    for (let i = 0; i < 1_000; i++) rows.push(await openRow(room, `c${i}`, { runId: `r${i}` }))
    const shared = new SharedArrayBuffer(4)
    const decideAll = (decision: 'allow' | 'deny') =>
      runDecider({
        dataDir: room.store.dataDir,
        decision,
        rows: rows.map(({ id, nonce }) => ({ id, nonce })),
        shared,
      })
    const [allows, denies] = await Promise.all([decideAll('allow'), decideAll('deny')])
    expect([allows.length, denies.length]).toEqual([1_000, 1_000])
    for (const [round, row] of rows.entries()) {
      const status = await statusOf(room, row.id)
      const [allow, deny] = [allows[round], denies[round]]
      expect([allow?.outcome, deny?.outcome].sort()).toEqual(['already', 'decided'])
      expect(status).toBe(allow?.outcome === 'decided' ? 'approved' : 'denied')
      expect([allow?.status, deny?.status]).toEqual([status, status])
    }
    expect(await room.audit.verify()).toMatchObject({ ok: true, rows: 2_000 })
  }, 180_000)
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

describe('C10: the digest', () => {
  const scope = { sessionId: 's1', callId: 'c1', address: group }
  const { digest } = canonicalCall(bound, scope)

  it.each([
    ['a trailing space', { command: 'rm -r build ' }],
    ['other arguments', { args: { command: 'rm -r build', background: true } }],
    ['another folder', { cwd: '/w/s1/x' }],
    ['the same path, another inode', { cwdId: '1:3' }],
    ['an added variable', { env: { A: 'b' } }],
    ['another limit', { timeoutMs: 60_001 }],
    ['another sandbox', { sandboxProfile: 'none' }],
    ['an edited script', { files: { '/w/s1/x.sh': 'abc' } }],
    ['another path', { paths: ['/w/s1/y'] }],
    ['another tool', { tool: 'shell2' }],
    ['a look-alike', { command: 'rm -r bui\u217Cd' }],
  ])('changes with %s', (_name, change) => {
    expect(canonicalCall({ ...bound, ...change }, scope).digest).not.toBe(digest)
  })

  it('changes with the call id, the session and the chat', () => {
    expect(canonicalCall(bound, { ...scope, callId: 'c2' }).digest).not.toBe(digest)
    expect(canonicalCall(bound, { ...scope, sessionId: 's2' }).digest).not.toBe(digest)
    expect(canonicalCall(bound, { ...scope, address: { ...group, chatId: 'oc_2' } }).digest).not.toBe(digest)
    expect(canonicalCall(bound, { ...scope, callId: 'c2' }).sameness).toBe(
      canonicalCall(bound, scope).sameness,
    )
  })

  it('does not change with the order of keys', () => {
    const reordered = Object.fromEntries(Object.entries(bound).reverse()) as typeof bound
    expect(canonicalCall(reordered, scope).digest).toBe(digest)
  })
})

async function runDecider(workerData: object): Promise<{ outcome: string; status: string }[]> {
  const worker = new Worker(new URL('./decider.ts', import.meta.url), { workerData })
  const [results] = await once(worker, 'message')
  return results
}

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
