import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createApprovalInbox } from '../../../src/approval/inbox.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import { ZONE } from '../../support/zone.ts'
import { admin, group, openRoom, openRow } from './fixture.ts'

describe('C5: ten thousand values of a card', () => {
  it('that the house did not make decide nothing', { timeout: 60_000 }, async () => {
    const room = await openRoom()
    const row = await openRow(room, 'c1')
    const asked: unknown[] = []
    const inbox = createApprovalInbox({
      approvals: {
        ...room.approvals,
        decide: async (input) => {
          asked.push(input.target)
          return { outcome: 'not_found' }
        },
      },
      zone: ZONE,
      textFor: () => createTranslate('zh-CN'),
      codeBytesFor: () => 20_000,
    })
    const wild = fc.oneof(fc.string(), fc.constantFrom(row.id, row.nonce, 'allow', 'ALLOW', '', 'deny '))
    const value = fc.dictionary(fc.oneof(fc.constantFrom('a', 'd', 'n', '__proto__'), fc.string()), wild)
    await fc.assert(
      fc.asyncProperty(value, async (one) => {
        asked.length = 0
        const event = {
          type: 'action',
          address: group,
          eventId: 'e',
          operator: admin,
          form: {},
          sentAt: 0,
        } as const
        const receipt = await inbox.handleAction({ ...event, value: one })
        if (!('a' in one)) expect(receipt).toBeUndefined()
        const wellFormed =
          Object.keys(one).sort().join() === 'a,d,n' &&
          /^[a-z0-9]{16,64}$/.test(one.a ?? '') &&
          (one.d === 'allow' || one.d === 'deny') &&
          (one.n ?? '').length >= 16
        if (!wellFormed) expect(asked).toEqual([])
      }),
      { numRuns: 10_000, seed: 20_260_105 },
    )
    expect((await room.approvals.byId(row.id))?.status).toBe('pending')
  })
})
