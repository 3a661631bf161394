import { describe, expect, it } from 'vitest'
import { capabilities } from '../../../../adapters/feishu/capabilities.ts'
import { paintCard } from '../../../../adapters/feishu/card/card.ts'
import { cardBytes } from '../../../../adapters/feishu/card/element.ts'
import { paintLive } from '../../../../adapters/feishu/card/live.ts'
import { createTranslate } from '../../../../src/locale/index.ts'
import type { Card } from '../../../../src/protocol/card.ts'
import type { LiveState } from '../../../../src/protocol/outbound.ts'

const card: Card = {
  title: '命令审批',
  tone: 'warning',
  tag: '待审批',
  summary: '审批：rm -rf build',
  cardId: 'a1',
  blocks: [
    { type: 'code', text: 'rm -rf build # <at id=all></at> ``` **x**' },
    { type: 'fields', fields: [{ name: '目录', value: '/w\n风险: 无' }] },
    { type: 'divider' },
  ],
  select: {
    name: 'scope',
    label: '范围',
    options: [{ value: 'once', text: '仅此一次' }],
    initial: 'once',
  },
  buttons: [
    { text: '允许', style: 'primary', value: { id: 'a1', decision: 'allow', nonce: 'n' } },
    { text: '拒绝', style: 'danger', value: { id: 'a1', decision: 'deny', nonce: 'n' } },
  ],
}

describe('paintCard', () => {
  it('C9, C14: an approval cannot be forwarded and shows its command character by character', () => {
    const painted = paintCard(card)
    expect(painted.config).toEqual({
      update_multi: true,
      enable_forward: false,
      summary: { content: '审批：rm -rf build' },
      width_mode: 'fill',
    })
    expect(painted.header).toEqual({
      title: { tag: 'plain_text', content: '命令审批' },
      template: 'orange',
      text_tag_list: [{ tag: 'text_tag', text: { tag: 'plain_text', content: '待审批' }, color: 'orange' }],
    })
    expect(JSON.stringify(painted)).toContain(
      JSON.stringify({ tag: 'plain_text', content: 'rm -rf build # <at id=all></at> ``` **x**' }),
    )
    expect(JSON.stringify(painted)).not.toContain('"markdown"')
  })

  it('C1: a select stands in a form with named submit buttons that carry only ids', () => {
    const text = JSON.stringify(paintCard(card))
    expect(text).toContain('"name":"button_0","form_action_type":"submit"')
    expect(text).toContain(
      '"behaviors":[{"type":"callback","value":{"id":"a1","decision":"allow","nonce":"n"}}]',
    )
    expect(text).toContain('"tag":"select_static","name":"scope"')
    const { select: _, ...plain } = card
    expect(JSON.stringify(paintCard(plain))).not.toContain('form')
  })

  it('C12: code of the announced size fits, whatever it is made of', () => {
    const { cardCodeBytes } = capabilities
    for (const char of ['"', '\n', '\\', 'x']) {
      const blocks = [{ type: 'code' as const, text: char.repeat(cardCodeBytes) }]
      expect(cardBytes(paintCard({ ...card, blocks }))).toBeLessThanOrEqual(30_000)
    }
  })

  it('C12: what does not fit is an error, never a shorter card', () => {
    const long: Card = { ...card, blocks: [{ type: 'code', text: '字'.repeat(12_000) }] }
    expect(() => paintCard(long)).toThrow(expect.objectContaining({ code: 'feishu.card_too_large' }))
  })
})

describe('paintLive', () => {
  const text = createTranslate('zh-CN')
  const state: LiveState = {
    phase: 'working',
    label: '正在执行…',
    text: '结果如下',
    steps: [{ callId: 'c1', tool: 'bash', title: 'ls *', status: 'ok', ms: 1_234 }],
    todos: [{ content: '看日志', status: 'in_progress' }],
    footer: 'demo',
  }

  it('gives every changing part an element of its own', () => {
    const { texts } = paintLive(state, { text, streaming: true })
    expect(texts).toEqual({
      status: "<font color='grey'>正在执行…</font>",
      todos: '▶️ 看日志',
      steps: '✅ ls &#42; (1.2 s)',
      answer0: '结果如下',
      footer: "<font color='grey'>demo</font>",
    })
  })

  it('keeps its shape while only words change', () => {
    const before = paintLive(state, { text, streaming: true })
    const after = paintLive({ ...state, text: '结果如下：好' }, { text, streaming: true })
    expect(after.shape).toBe(before.shape)
    expect(paintLive({ ...state, todos: [] }, { text, streaming: true }).shape).not.toBe(before.shape)
  })

  it('goes on inside a decided approval', () => {
    const { select: _, ...rest } = card
    const painted = paintLive(
      { ...state, head: { ...rest, buttons: [], tag: '已允许', tone: 'success' } },
      { text },
    )
    expect(painted.card.header).toMatchObject({ template: 'green' })
    expect(JSON.stringify(painted.card)).toContain('rm -rf build')
  })

  it('feishu 22: stays within 30 KB, keeps the front and says that something is missing', () => {
    const painted = paintLive({ ...state, text: '<很长>'.repeat(20_000) }, { text, streaming: true })
    expect(cardBytes(painted.card)).toBeLessThanOrEqual(30_000)
    expect(cardBytes(painted.card)).toBeGreaterThan(28_000)
    expect(JSON.stringify(painted.card)).toContain(text('feishu.live.clipped'))
  })
})
