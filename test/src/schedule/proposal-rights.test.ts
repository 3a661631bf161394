import { expect, it } from 'vitest'
import type { UserKey } from '../../../src/protocol/address.ts'
import { settle } from '../../support/settle.ts'
import { messageEvent, person } from '../gateway/stage.ts'
import { ADMIN, asker, CREATOR, GROUP, openRoom, type Room } from './fixture.ts'

const FIELDS = { cron: '0 9 * * *', prompt: '昨天的销售额' }
const start = Date.parse('2026-12-01T08:00:00+08:00')

/** Presses the first button of the newest card of `from`, in a service with the configuration of `room`. */
async function confirm(from: Room, room: Room, user: UserKey) {
  await settle()
  const card = from.sent.findLast(({ message }) => message.type === 'card')?.message
  const value = card?.type === 'card' ? (card.card.buttons[0]?.value ?? {}) : {}
  const base = { type: 'action', address: GROUP, eventId: 'e', form: {}, sentAt: 0 } as const
  return room.proposals.handleAction({ ...base, operator: person(user), value })
}

it.each([
  ['the right to operate', FIELDS, CREATOR, { access: { admins: [ADMIN], operate: [ADMIN] } }],
  [
    'the rights of an administrator',
    { ...FIELDS, preapproved: [{ command: 'ls', until: '2026-12-31' }] },
    ADMIN,
    { access: { admins: ['feishu:ou_new'] } },
  ],
])('T7: who has lost %s since the proposal saves nothing', async (_name, fields, user, config) => {
  const before = await openRoom({ start })
  await before.desk.propose({ action: 'create', fields }, asker(user), 'call-1')
  const after = await openRoom({ start, store: before.store, config })
  expect((await confirm(before, after, user))?.toast?.tone).toBe('error')
  expect(await before.store.db.selectFrom('schedules').selectAll().execute()).toEqual([])
  expect((await confirm(before, before, user))?.toast?.tone).toBe('success')
})

it('a word confirms one’s own change, not one that came between', async () => {
  const room = await openRoom({ start })
  await room.desk.propose({ action: 'create', fields: FIELDS }, asker(ADMIN), 'call-1')
  await room.clock.advance(1_000)
  await room.desk.propose({ action: 'create', fields: { ...FIELDS, prompt: '别的' } }, asker(), 'call-2')
  await room.proposals.decideWaiting('confirm', messageEvent({ address: GROUP, sender: person(ADMIN) }))
  const rows = await room.store.db.selectFrom('schedules').select('creator').execute()
  expect(rows).toEqual([{ creator: ADMIN }])
})

it.each([
  ['of others', [CREATOR, CREATOR], ADMIN],
  ['of one’s own', [ADMIN, ADMIN], ADMIN],
])(
  'a word that could mean several changes %s decides none and asks for the id',
  async (_name, from, user) => {
    const room = await openRoom({ start })
    for (const [index, proposer] of from.entries()) {
      await room.desk.propose(
        { action: 'create', fields: { ...FIELDS, prompt: `第${index}份` } },
        asker(proposer),
        `call-${index}`,
      )
      await room.clock.advance(1_000)
    }
    const said = messageEvent({ address: GROUP, sender: person(user) })
    const saved = () => room.store.db.selectFrom('schedules').select('id').execute()

    const answer = await room.desk.decideWaiting('confirm', said)
    expect(await saved()).toEqual([])
    const ids = [...answer.matchAll(/`([a-z0-9]+)`/g)].map(([, id = '']) => id)
    expect(ids).toHaveLength(2)

    await room.desk.decideWaiting('confirm', said, ids[1])
    expect(await saved()).toEqual([{ id: ids[1] }])
  },
)
