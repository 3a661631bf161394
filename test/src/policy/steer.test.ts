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
  ['anybody where every requester decides', { approvers: 'requester' }, helper, true],
] as const)('C3: %s joins a run of somebody else: %j %s → %s', (_name, approval, user, joins) => {
  const access = createAccess(configSchema.parse({ access: { admins: [boss] }, approval }))
  expect(maySteer(access, user as UserKey, asker as UserKey, group)).toBe(joins)
})

it('without the right to operate nobody steers a run of somebody else', () => {
  const access = createAccess(configSchema.parse({ access: { operate: [asker] } }))
  expect(maySteer(access, helper as UserKey, asker as UserKey, group)).toBe(false)
})
