import { describe, expect, it } from 'vitest'
import { createApprovalInbox } from '../../../src/approval/inbox.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import type { ActionEvent, MessageEvent } from '../../../src/protocol/inbound.ts'
import type { ApprovalRow } from '../../../src/store/schema.ts'
import { ZONE } from '../../support/zone.ts'
import { admin, group, member, openRoom, openRow } from './fixture.ts'

async function openInbox() {
  const room = await openRoom()
  const text = createTranslate('zh-CN')
  return {
    room,
    row: await openRow(room, 'c1'),
    inbox: createApprovalInbox({
      approvals: room.approvals,
      zone: ZONE,
      textFor: () => text,
      codeBytesFor: () => 20_000,
    }),
  }
}

function action(row: ApprovalRow, extra: Partial<ActionEvent> = {}): ActionEvent {
  return {
    type: 'action',
    address: group,
    eventId: 'e1',
    operator: admin,
    value: { a: row.id, d: 'allow', n: row.nonce },
    form: {},
    sentAt: 0,
    ...extra,
  }
}

function message(text: string, extra: Partial<MessageEvent> = {}): MessageEvent {
  return {
    type: 'message',
    address: group,
    messageId: 'om_1',
    sender: admin,
    text,
    mentions: [],
    mentionsBot: true,
    mentionsAll: false,
    attachments: [],
    sentAt: 0,
    replyTo: 'om_1',
    ...extra,
  }
}

describe('clicks', () => {
  it('an approver allows: success toast and the decided card, at once', async () => {
    const { inbox, row } = await openInbox()
    expect(await inbox.handleAction(action(row))).toMatchObject({
      toast: { tone: 'success', text: `已允许（${row.code}），任务继续执行。` },
      card: { tag: '已允许', buttons: [], cardId: `approval-${row.id}` },
    })
  })

  it('C5: a repeated click gets the recorded result', async () => {
    const { inbox, row } = await openInbox()
    await inbox.handleAction(action(row))
    const value = { a: row.id, d: 'deny', n: row.nonce }
    expect(await inbox.handleAction(action(row, { value }))).toMatchObject({
      toast: { tone: 'info', text: '管理员 已经处理过了：已允许。' },
      card: { tag: '已允许' },
    })
  })

  it('C5: on an approval that time has settled nobody is said to have decided', async () => {
    const { inbox, row, room } = await openInbox()
    await room.clock.advance(25 * 3_600_000)
    await room.approvals.expireDue()
    expect(await inbox.handleAction(action(row, { sentAt: room.clock.now() }))).toMatchObject({
      toast: { tone: 'warning', text: '这个审批已经过期，没有执行。需要的话请重新发起。' },
    })
  })

  it('C2/C3: the requester is refused and the card does not change', async () => {
    const { inbox, row, room } = await openInbox()
    expect(await inbox.handleAction(action(row, { operator: member }))).toEqual({
      toast: { tone: 'error', text: '不能审批自己发起的请求，请找其他审批人。' },
    })
    expect((await room.approvals.byId(row.id))?.status).toBe('pending')
  })

  it('C7: after the expiry the card says so', async () => {
    const { inbox, row, room } = await openInbox()
    await room.clock.advance(30 * 60_000)
    expect(await inbox.handleAction(action(row))).toMatchObject({
      toast: { tone: 'warning' },
      card: { tag: '已过期' },
    })
  })

  it.each([
    ['a forged id', { a: 'x'.repeat(26), d: 'allow', n: 'n'.repeat(26) }],
    ['C22: a decision that was never offered', { a: 'x'.repeat(26), d: 'allow_always', n: 'n'.repeat(26) }],
    ['an added key', { a: 'x'.repeat(26), d: 'allow', n: 'n'.repeat(26), scope: 'session' }],
    ['no nonce', { a: 'x'.repeat(26), d: 'allow' }],
  ])('C1: %s → not found', async (_name, value) => {
    const { inbox, row } = await openInbox()
    expect(await inbox.handleAction(action(row, { value }))).toEqual({
      toast: { tone: 'error', text: '找不到这个审批，请核对口令或使用最新的卡片。' },
    })
  })

  it('C22: a scope that was not offered → refused', async () => {
    const { inbox, row } = await openInbox()
    const receipt = await inbox.handleAction(action(row, { form: { scope: 'session' } }))
    expect(receipt).toMatchObject({ toast: { tone: 'error' } })
    expect(receipt?.card).toBeUndefined()
  })

  it('leaves clicks on other cards to others', async () => {
    const { inbox, row } = await openInbox()
    expect(await inbox.handleAction(action(row, { value: { menu: 'x' } }))).toBeUndefined()
  })
})

describe('typed decisions', () => {
  it('C4: an approver types the code; the requester and a bot cannot', async () => {
    const { inbox, row, room } = await openInbox()
    expect(await inbox.handleText(message(`允许 ${row.code}`, { sender: member }))).toEqual({
      handled: true,
      reply: '不能审批自己发起的请求，请找其他审批人。',
    })
    expect(
      await inbox.handleText(message(`允许 ${row.code}`, { sender: { ...admin, isBot: true } })),
    ).toEqual({ handled: false })
    expect((await room.approvals.byId(row.id))?.status).toBe('pending')
    expect(await inbox.handleText(message(`拒绝 ${row.code} 先备份`))).toMatchObject({ handled: true })
    expect(await room.approvals.byId(row.id)).toMatchObject({
      status: 'denied',
      reason: '先备份',
      decided_by: admin.user,
    })
  })

  it('C9: a code typed in another chat is refused', async () => {
    const { inbox, row } = await openInbox()
    const address = { ...group, chatId: 'oc_9' }
    expect(await inbox.handleText(message(`允许 ${row.code}`, { address }))).toEqual({
      handled: true,
      reply: '这个审批不属于当前会话，请回到原来的聊天中处理。',
    })
  })

  it('a refusal in a sentence counts when the code is really one', async () => {
    const { inbox, row, room } = await openInbox()
    expect(await inbox.handleText(message(`先别执行 ${row.code}`))).toMatchObject({ handled: true })
    expect((await room.approvals.byId(row.id))?.status).toBe('denied')
  })

  it('an unknown code is answered, ordinary talk goes on to the agent', async () => {
    const { inbox } = await openInbox()
    expect(await inbox.handleText(message('允许 ZZZ999'))).toMatchObject({ handled: true })
    for (const text of ['帮我看看日志', 'CAS234 这个接口别用', '请不要改 CAS234 模块']) {
      expect(await inbox.handleText(message(text))).toEqual({ handled: false })
    }
  })
})
