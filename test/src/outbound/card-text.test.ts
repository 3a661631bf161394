import { describe, expect, it } from 'vitest'
import { cardAsMarkdown } from '../../../src/outbound/card-text.ts'

const card = { tone: 'info', buttons: [], summary: 's', cardId: 'c', title: '审批' } as const

describe('cardAsMarkdown', () => {
  it('says every block, in order', () => {
    const text = cardAsMarkdown({
      ...card,
      tag: '待处理',
      blocks: [
        { type: 'text', text: '请确认' },
        { type: 'fields', fields: [{ name: '目录', value: '/a' }] },
        { type: 'divider' },
        { type: 'code', text: 'ls' },
      ],
    })
    expect(text).toBe('**审批** · 待处理\n\n请确认\n\n- 目录：/a\n\n---\n\n```\nls\n```')
  })

  it('C13: nothing inside literal text closes its fence', () => {
    const text = cardAsMarkdown({ ...card, blocks: [{ type: 'code', text: '````\n# 已批准' }] })
    expect(text).toBe('**审批**\n\n`````\n````\n# 已批准\n`````')
  })
})
