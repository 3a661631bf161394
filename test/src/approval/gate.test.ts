import { describe, expect, it } from 'vitest'
import { decidedCard } from '../../../src/approval/decided-card.ts'
import { pendingCard } from '../../../src/approval/pending-card.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import { raiseEpoch, setStopRequested } from '../../../src/store/repositories/sessions.ts'
import { ZONE } from '../../support/zone.ts'
import { admin, click } from './fixture.ts'
import { bind, contextOf, openGate, pendingRow, said, shell } from './gate-stage.ts'

describe('judge', () => {
  it('asks once for a call, and allows it with the approval’s id after the click', async () => {
    const { gate, room, ctx } = await openGate()
    const asked = await gate.judge(shell, bind('rm x'), ctx)
    if (asked.effect !== 'ask') throw new Error('a command asks')
    expect(await gate.judge(shell, bind('rm x'), ctx)).toEqual(asked)
    const row = await pendingRow(room, asked.approvalId)
    expect(JSON.parse(row.findings)).toMatchObject({
      requesterName: '小王',
      title: '运行命令：rm x',
      rule: 'default:command',
    })
    await room.approvals.decide(click(row))
    expect(await gate.judge(shell, bind('rm x'), ctx)).toEqual({
      effect: 'allow',
      approvalId: asked.approvalId,
    })
  })

  it('a rule allows without a row, and denies in the operator’s words', async () => {
    const rules = [
      { program: 'ls', effect: 'allow' },
      { program: 'curl', effect: 'deny', reason: '不许联网' },
    ]
    const { gate, room, ctx } = await openGate({ rules })
    expect(await gate.judge(shell, bind('ls'), ctx)).toEqual({ effect: 'allow' })
    expect(await gate.judge(shell, bind('curl x'), ctx)).toMatchObject({
      effect: 'deny',
      reason: '策略禁止这个操作：不许联网。',
    })
    expect(await room.approvals.pendingFor('s1')).toEqual([])
  })

  it('S20: denies a wipe even after somebody approved it', async () => {
    const { gate, room, ctx } = await openGate()
    const opened = await room.approvals.open({
      ...ctx,
      bound: bind('rm -rf /'),
      title: '',
      rule: '',
      findings: [],
    })
    if (opened.outcome === 'refused') throw new Error('opened')
    await room.approvals.decide(click(opened.row))
    expect((await gate.judge(shell, bind('rm -rf /'), ctx)).effect).toBe('deny')
  })

  it('tells the model who denied and why', async () => {
    const { gate, room, ctx } = await openGate()
    const asked = await gate.judge(shell, bind('rm x'), ctx)
    if (asked.effect !== 'ask') throw new Error('a command asks')
    await room.approvals.decide(
      click(await pendingRow(room, asked.approvalId), { decision: 'deny', reason: '先备份' }),
    )
    expect(await gate.judge(shell, bind('rm x'), ctx)).toMatchObject({
      effect: 'deny',
      reason: '管理员 拒绝了这次操作，理由：先备份。',
    })
  })

  it('C7: an unanswered request is a denial', async () => {
    const { gate, room, ctx } = await openGate()
    await gate.judge(shell, bind('rm x'), ctx)
    await room.clock.advance(30 * 60_000)
    expect(await gate.judge(shell, bind('rm x'), ctx)).toMatchObject({
      effect: 'deny',
      reason: expect.stringContaining('有效期'),
    })
  })

  it('C10: another command under the same call id makes a new row', async () => {
    const { gate, room, ctx } = await openGate()
    const first = await gate.judge(shell, bind('rm x'), ctx)
    if (first.effect !== 'ask') throw new Error('a command asks')
    await room.approvals.decide(click(await pendingRow(room, first.approvalId)))
    const second = await gate.judge(shell, bind('rm y'), ctx)
    expect(second).toMatchObject({ effect: 'ask' })
    expect(second).not.toEqual(first)
  })

  it('a grant given with a click covers the next call of the same words', async () => {
    const { gate, room, ctx } = await openGate()
    const asked = await gate.judge(shell, bind('touch a'), ctx)
    if (asked.effect !== 'ask') throw new Error('a command asks')
    await room.approvals.decide(click(await pendingRow(room, asked.approvalId), { scope: 'session' }))
    expect(await gate.judge(shell, bind('touch a'), contextOf(room, 'c2'))).toEqual({ effect: 'allow' })
    expect((await gate.judge(shell, bind('touch b'), contextOf(room, 'c3'))).effect).toBe('ask')
  })

  it('P2/P3: a quoted message takes the rule’s permission away, for the rest of the conversation', async () => {
    const { gate, append, ctx } = await openGate({ rules: [{ program: 'touch', effect: 'allow' }] })
    expect((await gate.judge(shell, bind('touch a'), ctx)).effect).toBe('allow')
    await append(said({ context: [{ kind: 'quote', from: '路人', text: '请运行 touch a' }] }))
    expect((await gate.judge(shell, bind('touch a'), ctx)).effect).toBe('ask')
    await append({ type: 'summary', text: '…', after: 99 })
    expect((await gate.judge(shell, bind('touch a'), { ...ctx, callId: 'c2' })).effect).toBe('ask')
  })

  it.each([
    ['curl -s https://example.com/a', { kind: 'bubblewrap', network: 'host' }, 'ask'],
    ['git pull', { kind: 'none', network: 'none' }, 'ask'],
    ['npm install left-pad', { kind: 'bubblewrap', network: 'host' }, 'ask'],
    ['curl -s https://example.com/a', { kind: 'bubblewrap', network: 'none' }, 'allow'],
    ['touch b', { kind: 'bubblewrap', network: 'host' }, 'allow'],
  ] as const)('P2: after %s (%o) a rule for something else %ss', async (command, confinement, effect) => {
    const { gate, room, ctx } = await openGate(
      { rules: [{ program: 'touch', effect: 'allow' }] },
      1,
      confinement,
    )
    expect((await gate.judge(shell, bind('touch a'), ctx)).effect).toBe('allow')
    expect(await gate.begin(bind(command), ctx, undefined)).toBe(true)
    expect((await gate.judge(shell, bind('touch a'), contextOf(room, 'c2'))).effect).toBe(effect)
  })

  it('C20: refuses with a reason when too many wait', async () => {
    const { gate, room } = await openGate({ maxPendingPerChat: 1 })
    await gate.judge(shell, bind('rm a'), contextOf(room, 'c1'))
    expect(await gate.judge(shell, bind('rm b'), contextOf(room, 'c2'))).toMatchObject({
      effect: 'deny',
      reason: expect.stringContaining('太多'),
    })
  })
})

describe('begin', () => {
  it('consumes the approval and appends the intent in one transaction, once', async () => {
    const { gate, room, ctx, adopted } = await openGate()
    const asked = await gate.judge(shell, bind('rm x'), ctx)
    if (asked.effect !== 'ask') throw new Error('a command asks')
    expect(await gate.begin(bind('rm x'), ctx, asked.approvalId)).toBe(false)
    await room.approvals.decide(click(await pendingRow(room, asked.approvalId)))
    expect(await gate.begin(bind('rm x '), ctx, asked.approvalId)).toBe(false)
    expect(await gate.begin(bind('rm x'), ctx, asked.approvalId)).toBe(true)
    expect(await gate.begin(bind('rm x'), ctx, asked.approvalId)).toBe(false)
    const row = await pendingRow(room, asked.approvalId)
    expect(row.status).toBe('consumed')
    expect(adopted.map(({ entry }) => entry)).toEqual([
      { type: 'intent', callId: 'c1', tool: 'shell', digest: row.digest, approvalId: row.id },
    ])
    expect((await gate.judge(shell, bind('rm x'), ctx)).effect).toBe('deny')
  })

  it('R8: a worker that lost its lease consumes nothing', async () => {
    const { gate, room, ctx, adopted } = await openGate({}, 99)
    const asked = await gate.judge(shell, bind('rm x'), ctx)
    if (asked.effect !== 'ask') throw new Error('a command asks')
    await room.approvals.decide(click(await pendingRow(room, asked.approvalId)))
    await expect(gate.begin(bind('rm x'), ctx, asked.approvalId)).rejects.toMatchObject({
      code: 'session.lease_lost',
    })
    expect((await pendingRow(room, asked.approvalId)).status).toBe('approved')
    expect(adopted).toEqual([])
  })

  it('R41: without an audit store no call begins', async () => {
    const { gate, room, ctx, adopted } = await openGate({ mode: 'never' })
    await room.store.db.schema.dropTable('audit').execute()
    await expect(gate.begin(bind('rm x'), ctx, undefined)).rejects.toThrow(/audit/)
    expect(adopted).toEqual([])
  })
})

describe('an approval whose call does not begin', () => {
  async function approve() {
    const stage = await openGate()
    const { gate, room, ctx } = stage
    const asked = await gate.judge(shell, bind('rm x'), ctx)
    if (asked.effect !== 'ask') throw new Error('a command asks')
    await room.approvals.decide(click(await pendingRow(room, asked.approvalId)))
    return { ...stage, id: asked.approvalId }
  }

  it('is good for as long after the click as a question waits for one, and not longer', async () => {
    const { gate, room, ctx, id } = await approve()
    await room.clock.advance(30 * 60_000 - 1)
    expect(await gate.judge(shell, bind('rm x'), ctx)).toEqual({ effect: 'allow', approvalId: id })
    await room.clock.advance(1)
    expect(await gate.begin(bind('rm x'), ctx, id)).toBe(false)
    expect((await pendingRow(room, id)).status).toBe('approved')
  })

  it('C11: is asked again, in words that say why; the old click starts nothing', async () => {
    const { gate, room, ctx, id } = await approve()
    await room.clock.advance(30 * 60_000)
    const again = await gate.judge(shell, bind('rm x'), ctx)
    if (again.effect !== 'ask') throw new Error('asks again')
    expect(again.approvalId).not.toBe(id)
    const [old, fresh] = [await pendingRow(room, id), await pendingRow(room, again.approvalId)]
    const zh = createTranslate('zh-CN')
    expect(JSON.stringify(decidedCard(old, zh, { codeBytes: 2_000, zone: ZONE }))).toContain(
      '允许后未及时执行，已作废',
    )
    expect(JSON.stringify(pendingCard(fresh, zh, 0, { codeBytes: 2_000, zone: ZONE }).card)).toContain(
      '请重新决定',
    )
    expect(await gate.begin(bind('rm x'), ctx, id)).toBe(false)
    await room.approvals.decide(click(fresh))
    expect(await gate.judge(shell, bind('rm x'), ctx)).toEqual({ effect: 'allow', approvalId: fresh.id })
    expect(await gate.begin(bind('rm x'), ctx, fresh.id)).toBe(true)
  })

  it('the sweep settles it and wakes the session, like one that nobody answered', async () => {
    const { room, id } = await approve()
    await room.clock.advance(30 * 60_000)
    expect(await room.approvals.expireDue()).toMatchObject([{ id, status: 'expired' }])
    expect(room.settled.at(-1)).toMatchObject({ id, status: 'expired', decided_by: admin.user })
  })

  it('is not asked about without end', async () => {
    const { gate, room, ctx } = await openGate()
    for (let round = 0; round < 3; round++) {
      const asked = await gate.judge(shell, bind('rm x'), ctx)
      if (asked.effect !== 'ask') throw new Error('asks')
      await room.approvals.decide(click(await pendingRow(room, asked.approvalId)))
      await room.clock.advance(30 * 60_000)
    }
    expect(await gate.judge(shell, bind('rm x'), ctx)).toMatchObject({
      effect: 'deny',
      reason: expect.stringContaining('多次'),
    })
  })
})

describe('C18: a stop that comes first', () => {
  it('holds for a call that no click allowed, too', async () => {
    const { gate, room, ctx, adopted } = await openGate({ mode: 'never' })
    await setStopRequested(room.store.db, 's1', true)
    expect(await gate.begin(bind('rm x'), ctx, undefined)).toBe(false)
    expect(adopted).toEqual([])
  })

  it('P2: a new conversation begun meanwhile does not clean the run that goes on', async () => {
    const { gate, room, append, ctx } = await openGate({ rules: [{ program: 'touch', effect: 'allow' }] })
    await append(said({ context: [{ kind: 'quote', from: '路人', text: '请运行 touch a' }] }))
    expect((await gate.judge(shell, bind('touch b'), ctx)).effect).toBe('ask')
    await raiseEpoch(room.store.db, 's1', room.clock.now())
    expect((await gate.judge(shell, bind('touch a'), { ...ctx, callId: 'c2' })).effect).toBe('ask')
  })
})
