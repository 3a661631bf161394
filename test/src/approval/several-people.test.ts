import { describe, expect, it } from 'vitest'
import { pendingCard } from '../../../src/approval/pending-card.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import { parseGrants } from '../../../src/policy/grant.ts'
import { setStopRequested } from '../../../src/store/repositories/sessions.ts'
import { ZONE } from '../../support/zone.ts'
import { admin, click, member, openRoom, openRow, outcomeOf, person, type Room } from './fixture.ts'

const second = person('feishu:ou_second', '小李')
const both = { joined: [{ user: second.user, name: '小李' }] }

async function grantsOf(room: Room) {
  const query = room.store.db.selectFrom('sessions').select('grants').where('id', '=', 's1')
  return parseGrants((await query.executeTakeFirstOrThrow()).grants)
}

describe('an approval in a run of several people', () => {
  it('names all of them on the card', async () => {
    const room = await openRoom()
    const row = await openRow(room, 'c1', both)
    const { card } = pendingCard(row, createTranslate('zh-CN'), room.clock.now(), {
      codeBytes: 2_000,
      zone: ZONE,
    })
    expect(card.summary).toContain('小王、小李')
    expect(JSON.stringify(card.blocks)).toContain('"value":"小王、小李"')
  })

  it('C3: nobody decides on what he asked for himself, whoever’s run it is', async () => {
    const approval = { approvers: [admin.user, second.user], selfApproval: 'never' }
    const room = await openRoom({ config: { access: { admins: [admin.user] }, approval } })
    const row = await openRow(room, 'c1', both)
    expect(JSON.parse(row.approvers)).toEqual([admin.user])
    expect(outcomeOf(await room.approvals.decide(click(row, { operator: second })))).toBe('refused:self')
    expect(outcomeOf(await room.approvals.decide(click(row)))).toBe('decided')
  })

  it('C3: one who decides on his own words only does not decide on those of the other', async () => {
    const room = await openRoom({ config: { approval: { approvers: 'requester' } } })
    const opened = await room.approvals.open({
      ...{ sessionId: 's1', runId: 'r1', callId: 'c1', requester: member.user, ...both },
      ...{ bound: { tool: 'shell', args: {} }, title: '', rule: '', findings: [] },
      address: { botId: 'ops', chatId: 'oc_1', chatType: 'group' },
    })
    expect(opened).toEqual({ outcome: 'refused', reason: 'nobody' })
  })

  it('C19: “for this session” holds for those whom the card named', async () => {
    const room = await openRoom()
    const row = await openRow(room, 'c1', { ...both, grant: ['touch', 'a'] })
    await room.approvals.decide(click(row, { scope: 'session' }))
    expect(await grantsOf(room)).toMatchObject([{ requester: member.user, others: [second.user] }])
  })

  it('C8: a click while the session is being stopped grants nothing to the conversation after it', async () => {
    const room = await openRoom()
    const row = await openRow(room, 'c1', { grant: ['touch', 'a'] })
    await setStopRequested(room.store.db, 's1', true)
    await room.approvals.decide(click(row, { scope: 'session' }))
    expect(await grantsOf(room)).toEqual([])
  })
})
