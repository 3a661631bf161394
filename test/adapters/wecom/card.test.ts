import { describe, expect, it } from 'vitest'
import { fitsWhole, paintCard } from '../../../adapters/wecom/card.ts'
import type { Card } from '../../../src/protocol/card.ts'

const pending: Card = {
  title: '执行命令需要确认',
  tone: 'warning',
  tag: '待审批',
  blocks: [
    { type: 'code', text: 'rm -rf build && npm ci' },
    { type: 'text', text: '会删除 build 目录' },
    { type: 'fields', fields: [{ name: '目录', value: '/srv/app' }] },
  ],
  buttons: [
    { text: '允许', style: 'primary', value: { approval: 'a1', decision: 'allow' } },
    { text: '拒绝', style: 'danger', value: { approval: 'a1', decision: 'deny' } },
  ],
  select: {
    name: 'scope',
    label: '范围',
    options: [
      { value: 'once', text: '仅此次' },
      { value: 'session', text: '本会话' },
    ],
    initial: 'once',
  },
  summary: '等待审批',
  cardId: 'a1_1',
}

describe('paintCard', () => {
  it('paints a pending card', () => {
    expect(paintCard(pending, 'aibot')).toEqual({
      card_type: 'button_interaction',
      main_title: { title: '执行命令需要确认', desc: '待审批' },
      sub_title_text: 'rm -rf build && npm ci\n会删除 build 目录',
      horizontal_content_list: [{ keyname: '目录', value: '/srv/app' }],
      button_selection: {
        question_key: 'scope',
        title: '范围',
        option_list: [
          { id: 'once', text: '仅此次' },
          { id: 'session', text: '本会话' },
        ],
        selected_id: 'once',
      },
      button_list: [
        { text: '允许', style: 1, key: 'approval=a1&decision=allow' },
        { text: '拒绝', style: 3, key: 'approval=a1&decision=deny' },
      ],
      task_id: 'a1_1',
    })
  })

  it('swaps red and neutral for an app, whose document draws them the other way', () => {
    expect(paintCard(pending, 'app').button_list).toMatchObject([{ style: 1 }, { style: 4 }])
  })

  it('a decided card has one dead button and keeps the clicked task_id', () => {
    const { select: _select, ...rest } = pending
    const decided: Card = { ...rest, tag: '已允许 ✓', buttons: [] }

    expect(paintCard(decided, 'aibot', { taskId: 'a1_1@b' })).toMatchObject({
      card_type: 'button_interaction',
      button_list: [{ text: '已允许 ✓', style: 4, key: 'noop' }],
      task_id: 'a1_1@b',
    })
  })

  it('C12: code that would be clipped is refused, code that just fits is whole', () => {
    const withCode = (text: string): Card => ({ ...pending, blocks: [{ type: 'code', text }] })

    expect(paintCard(withCode('x'.repeat(112)), 'aibot').sub_title_text).toBe('x'.repeat(112))
    expect(() => paintCard(withCode('x'.repeat(113)), 'aibot')).toThrow(
      expect.objectContaining({ code: 'wecom.card_refused', params: { reason: 'code' } }),
    )
    expect(() => paintCard(withCode('删'.repeat(38)), 'aibot')).toThrow('114 bytes of code')
  })

  it('prose gives way to code, visibly', () => {
    const blocks: Card['blocks'] = [
      { type: 'code', text: 'x'.repeat(100) },
      { type: 'text', text: '这段说明放不下的部分会被省略' },
    ]

    expect(paintCard({ ...pending, blocks }, 'aibot').sub_title_text).toBe(
      `${'x'.repeat(100)}\n这段说明放不下的部分…`,
    )
  })

  it('C12: knows when it cannot show every word', () => {
    const long: Card = { ...pending, blocks: [...pending.blocks, { type: 'text', text: '险'.repeat(90) }] }

    expect(fitsWhole(pending)).toBe(true)
    expect(fitsWhole(long)).toBe(false)
    const shown = paintCard(long, 'aibot', { more: '…（见上）' }).sub_title_text
    expect(shown).toMatch(/^rm -rf build && npm ci\n.*…（见上）$/s)
    expect([...String(shown)]).toHaveLength(112)
  })

  it('C12: code that leaves no room sends the note under the title', () => {
    const blocks: Card['blocks'] = [
      { type: 'code', text: 'x'.repeat(112) },
      { type: 'text', text: '有风险' },
    ]

    expect(paintCard({ ...pending, blocks }, 'aibot', { more: '…（见上）' })).toMatchObject({
      main_title: { desc: '待审批 …（见上）' },
      sub_title_text: 'x'.repeat(112),
    })
  })

  it('long field values keep both ends', () => {
    const fields = [{ name: '工作目录', value: '/srv/workspaces/oa/deploy/releases/2026' }]

    expect(
      paintCard({ ...pending, blocks: [{ type: 'fields', fields }] }, 'aibot').horizontal_content_list,
    ).toEqual([{ keyname: '工作目录', value: '/srv/workspa…releases/2026' }])
  })

  it('wecom 13: more buttons, rows or options than WeCom takes, and bad ids, are refused here', () => {
    const [button] = pending.buttons
    const buttons = Array.from(
      { length: 7 },
      (_, index) => ({ ...button, value: { n: String(index) } }) as never,
    )
    const fields = Array.from({ length: 7 }, () => ({ name: 'a', value: 'b' }))
    const cards: Card[] = [
      { ...pending, buttons },
      { ...pending, blocks: [{ type: 'fields', fields }] },
      { ...pending, cardId: 'a:1' },
      { ...pending, cardId: 'a'.repeat(129) },
    ]

    for (const card of cards) {
      expect(() => paintCard(card, 'aibot')).toThrow(expect.objectContaining({ code: 'wecom.card_refused' }))
    }
  })
})
