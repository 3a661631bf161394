import { expect, it } from 'vitest'
import { configSchema } from '../../../src/config/schema.ts'
import { createAccess, maySteer } from '../../../src/policy/access.ts'
import type { UserKey } from '../../../src/protocol/address.ts'

const group = { botId: 'ops', chatId: 'oc_1', chatType: 'group' as const }
const [asker, boss, helper]: UserKey[] = ['feishu:ou_asker', 'feishu:ou_boss', 'feishu:ou_helper']

it.each([
  ['the requester himself', { selfApproval: 'never' }, asker, true],
  ['a colleague who decides nothing', { selfApproval: 'never' }, helper, true],
  ['an administrator who may decide on his own requests', {}, boss, true],
  ['an administrator who may not', { selfApproval: 'never' }, boss, false],
  [
    'a named approver who may not decide on his own requests',
    { approvers: ['feishu:ou_helper'] },
    helper,
    false,
  ],
  ['anybody where every requester decides on his own', { approvers: 'requester' }, helper, false],
] as const)('C3: %s joins a run of somebody else: %j %s → %s', (_name, approval, user, joins) => {
  const access = createAccess(configSchema.parse({ access: { admins: [boss] }, approval }))
  expect(maySteer(access, user as UserKey, [asker as UserKey], group)).toBe(joins)
})

it('without the right to operate nobody steers a run of somebody else', () => {
  const access = createAccess(configSchema.parse({ access: { operate: [asker] } }))
  expect(maySteer(access, helper as UserKey, [asker as UserKey], group)).toBe(false)
})

it('C3: who joins is measured by everybody who is in the run, not only by who began it', () => {
  const approval = { approvers: ['feishu:ou_asker', 'feishu:ou_helper'], selfApproval: 'never' }
  const access = createAccess(configSchema.parse({ access: { admins: [boss] }, approval }))
  const outsider = 'feishu:ou_outsider' as UserKey
  expect(maySteer(access, outsider, [helper as UserKey], group)).toBe(true)
  expect(maySteer(access, asker as UserKey, [outsider, helper as UserKey], group)).toBe(false)
})

it('where nobody at all can decide, messages still join', () => {
  const access = createAccess(configSchema.parse({}))
  expect(maySteer(access, helper as UserKey, [asker as UserKey], group)).toBe(true)
})
