import { expect, it } from 'vitest'
import { decidedCard } from '../../../src/approval/decided-card.ts'
import { pendingCard } from '../../../src/approval/pending-card.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import { cardAsMarkdown } from '../../../src/outbound/card-text.ts'
import { proposalCard } from '../../../src/schedule/proposal-card.ts'
import { findProposal } from '../../../src/store/repositories/schedule-proposals.ts'
import { ZONE } from '../../support/zone.ts'
import { bound, openRoom as openApprovals, openRow } from '../approval/fixture.ts'
import { FIELDS, NINE } from '../schedule/confirmed.ts'
import { asker, openRoom } from '../schedule/fixture.ts'

const UNTRUE = /按钮|点击|待审批|待确认|button|click|press|needs approval|to confirm\b|needs confirmation/i

const approvals = await openApprovals()
const row = await openRow(approvals, 'c1', { bound, title: 'ls', findings: [], grant: ['ls'] })
const schedules = await openRoom({ start: NINE })
await schedules.desk.propose({ action: 'create', fields: FIELDS }, asker(), 'call-1')
const { id } = await schedules.store.db
  .selectFrom('schedule_proposals')
  .select('id')
  .executeTakeFirstOrThrow()

it.each(['zh-CN', 'en'] as const)(
  'an approval told in words says how to answer, and no state (%s)',
  (locale) => {
    const text = createTranslate(locale)
    const options = { codeBytes: 2_000, zone: ZONE }
    const asking = cardAsMarkdown(pendingCard(row, text, approvals.clock.now(), options).card)
    expect(asking).not.toMatch(UNTRUE)
    expect(asking).toContain(row.code)
    for (const status of ['approved', 'consumed', 'denied', 'expired', 'cancelled'] as const) {
      const told = cardAsMarkdown(decidedCard({ ...row, status }, text, options))
      expect(told).not.toMatch(UNTRUE)
      expect(told).toContain(text(`approval.status.${status}`))
    }
  },
)

it.each(['zh-CN', 'en'] as const)(
  'a change of a schedule told in words does so, too (%s)',
  async (locale) => {
    const deps = { ...schedules.deps, text: () => createTranslate(locale) }
    const proposal = await findProposal(deps.store.db, id)
    if (!proposal) throw new Error('nothing was proposed')
    const asking = cardAsMarkdown(await proposalCard(deps, proposal))
    expect(asking).not.toMatch(UNTRUE)
    expect(asking).toContain(proposal.schedule_id)
    for (const status of ['confirmed', 'cancelled', 'expired'] as const) {
      const told = cardAsMarkdown(await proposalCard(deps, { ...proposal, status, decided_at: NINE }))
      expect(told).not.toMatch(UNTRUE)
      expect(told).toContain(createTranslate(locale)(`schedule.card.tag.${status}`))
    }
  },
)
