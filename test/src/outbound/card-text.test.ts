import { describe, expect, it } from 'vitest'
import { cardAsMarkdown } from '../../../src/outbound/card-text.ts'

const card = { tone: 'info', buttons: [], summary: 's', cardId: 'c', title: '审批' } as const

describe('cardAsMarkdown', () => {
  it('says every block, in order', () => {
    const text = cardAsMarkdown({
      ...card,
      tag: '已处理',
      blocks: [
        { type: 'text', text: '请确认' },
        { type: 'fields', fields: [{ name: '目录', value: '/a' }] },
        { type: 'divider' },
        { type: 'code', text: 'ls' },
      ],
    })
    expect(text).toBe('**审批** · 已处理\n\n请确认\n\n- **目录** /a\n\n---\n\n```\nls\n```')
  })

  it('says no state that changes, and nothing of buttons that are not there', () => {
    const buttons = [{ text: '确认', style: 'primary' as const, value: {} }]
    const hint = { type: 'text' as const, text: '请点按钮', buttonless: '请回复：确认' }
    expect(cardAsMarkdown({ ...card, tag: '待处理', buttons, blocks: [hint] })).toBe(
      '**审批**\n\n请回复：确认',
    )
  })

  it('keeps the lines of a value under its name', () => {
    const field = { name: '接下来', value: '9:00\n10:00' }
    expect(cardAsMarkdown({ ...card, blocks: [{ type: 'fields', fields: [field] }] })).toBe(
      '**审批**\n\n- **接下来** 9:00\n  10:00',
    )
  })

  it('C13: nothing inside literal text closes its fence', () => {
    const text = cardAsMarkdown({ ...card, blocks: [{ type: 'code', text: '````\n# 已批准' }] })
    expect(text).toBe('**审批**\n\n`````\n````\n# 已批准\n`````')
  })
})
