import { describe, expect, it } from 'vitest'
import { configSchema } from '../../../src/config/schema.ts'
import { createAccess, sameUser } from '../../../src/policy/access.ts'
import type { Address, UserKey } from '../../../src/protocol/address.ts'
import type { Sender } from '../../../src/protocol/inbound.ts'

const group: Address = { botId: 'ops', chatId: 'oc_1', chatType: 'group' }
const direct: Address = { botId: 'ops', chatId: 'oc_2', chatType: 'direct' }
const access = (config: object) => createAccess(configSchema.parse(config))
const person = (user: UserKey, extra: Partial<Sender> = {}): Sender => ({
  user,
  isBot: false,
  isExternal: false,
  ...extra,
})
const admin = 'feishu:ou_admin'
const member = 'feishu:ou_member'
const admins = { access: { admins: [admin] } }

describe('who may talk and operate', () => {
  it('given lists, then people and chats match by id and nobody else', () => {
    const own = access({ access: { talk: [member, 'chat:ops:oc_1'], operate: [member], admins: [admin] } })
    expect(own.mayTalk(member, direct)).toBe(true)
    expect(own.mayTalk('feishu:ou_x', group)).toBe(true)
    expect(own.mayTalk('feishu:ou_x', direct)).toBe(false)
    expect(own.mayTalk('feishu:ou_x', { ...group, botId: 'other' })).toBe(false)
    expect(own.mayOperate('feishu:ou_x', group)).toBe(false)
    expect(own.mayOperate(admin, group)).toBe(true)
  })

  it('given everyone, then an unknown person may talk but never operate', () => {
    expect(access({}).mayTalk('unknown:x', group)).toBe(true)
    expect(access({}).mayOperate('unknown:x', group)).toBe(false)
    expect(access({}).mayOperate(member, group)).toBe(true)
  })

  it('compares WeCom ids without case, Feishu ids exactly, and unknown ids never', () => {
    expect(sameUser('wecom:ZhangSan', 'wecom:zhangsan')).toBe(true)
    expect(sameUser('feishu:ou_A', 'feishu:ou_a')).toBe(false)
    expect(sameUser('unknown:a', 'unknown:a')).toBe(false)
    expect(sameUser('wecom:a', 'feishu:a')).toBe(false)
    expect(access({ access: { admins: ['wecom:ZhangSan'] } }).isAdmin('wecom:zhangsan')).toBe(true)
  })
})

describe('who may decide', () => {
  const decide = (config: object, operator: Sender, requester: UserKey = member, address = group) =>
    access(config).mayDecide(operator, { requester, address })

  it('C2: an admin may, a member may not, a namesake of the admin may not', () => {
    expect(decide(admins, person(admin))).toEqual({ ok: true })
    expect(decide(admins, person('feishu:ou_x'))).toEqual({ ok: false, reason: 'not_approver' })
    expect(decide(admins, person('feishu:ou_x', { name: 'admin' }))).toEqual({
      ok: false,
      reason: 'not_approver',
    })
    expect(decide(admins, person('wecom:ou_admin'))).toEqual({ ok: false, reason: 'not_approver' })
  })

  it('C4: bots never decide, C21: external people never, unknown ids never', () => {
    const everybody = { approval: { approvers: 'requester', selfApproval: 'always' } }
    expect(decide(admins, person(admin, { isBot: true }))).toEqual({ ok: false, reason: 'bot' })
    expect(decide(admins, person(admin, { isExternal: true }))).toEqual({ ok: false, reason: 'external' })
    expect(decide(everybody, person('unknown:x'), 'unknown:x')).toEqual({ ok: false, reason: 'unknown' })
  })

  it.each([
    ['admins', 'never', admin, false],
    ['admins', 'admins', admin, true],
    ['admins', 'always', admin, true],
    ['admins', 'always', member, false],
    [[member], 'admins', member, false],
    [[member], 'always', member, true],
    ['requester', 'admins', member, true],
    ['requester', 'never', member, false],
  ] as const)(
    'C3: approvers %j, selfApproval %s, requester %s → %s',
    (approvers, selfApproval, requester, ok) => {
      const config = { ...admins, approval: { approvers, selfApproval } }
      expect(decide(config, person(requester), requester).ok).toBe(ok)
    },
  )

  it('names self approval as the reason', () => {
    expect(decide(admins, person(member))).toEqual({ ok: false, reason: 'self' })
  })

  it('without admins only the requester in a direct chat may, unless self approval is forbidden', () => {
    expect(decide({}, person(member), member, direct)).toEqual({ ok: true })
    expect(decide({}, person(member), member, group).ok).toBe(false)
    expect(decide({}, person('feishu:ou_x'), member, direct).ok).toBe(false)
    expect(decide({ approval: { selfApproval: 'never' } }, person(member), member, direct).ok).toBe(false)
    expect(access({}).approversFor(member, group)).toEqual([])
    expect(access({}).approversFor(member, direct)).toEqual([member])
  })
})
