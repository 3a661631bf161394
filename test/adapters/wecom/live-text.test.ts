import { describe, expect, it } from 'vitest'
import { paintLive } from '../../../adapters/wecom/live-text.ts'
import { createTranslate } from '../../../src/locale/index.ts'
import type { LiveState } from '../../../src/protocol/outbound.ts'

const text = createTranslate('zh-CN')
const working: LiveState = {
  phase: 'working',
  label: '正在处理…',
  text: '先看日志。',
  steps: ['a', 'b', 'c', 'd', 'e'].map((title) => ({ callId: title, tool: 'shell', title, status: 'ok' })),
  todos: [{ content: '看日志', status: 'in_progress' }],
}

describe('paintLive', () => {
  it('shows state, the last steps, the to-do list and the answer so far', () => {
    expect(paintLive(working, 0, 20_480, text)).toEqual({
      content: '正在处理…\n> …此前还有 1 步\n> ✅ b\n> ✅ c\n> ✅ d\n> ✅ e\n> ▶ 看日志\n\n先看日志。',
      shown: 5,
    })
  })

  it('collapses the steps when done', () => {
    const done: LiveState = { ...working, phase: 'done', label: '完成', footer: 'demo' }

    expect(paintLive(done, 0, 20_480, text).content).toBe('> 共执行 5 步\n\n先看日志。\n\ndemo')
  })

  it('is never empty or invisible', () => {
    const empty: LiveState = { phase: 'done', label: '', text: '', steps: [], todos: [] }

    expect(paintLive(empty, 0, 20_480, text).content).toBe('…')
    expect(paintLive({ ...empty, label: '已停止', phase: 'stopped' }, 0, 20_480, text).content).toBe('已停止')
  })

  it('wecom 10: stays under the limit and says how far it got', () => {
    const long: LiveState = { ...working, text: '驿'.repeat(10_000) }

    const first = paintLive(long, 0, 20_480, text, '（未完）')
    const second = paintLive(long, first.shown, 20_480, text)

    expect(Buffer.byteLength(first.content)).toBeLessThanOrEqual(20_480)
    expect(first.content).toContain('（未完）')
    expect(second.shown).toBe(10_000)
  })

  it('calls nobody', () => {
    const rude: LiveState = { ...working, steps: [], todos: [], text: '<@zhangsan> 看 `x`\n\n```\n<@a>\n```' }

    expect(paintLive(rude, 0, 20_480, text).content).toContain('<＠zhangsan> 看 `x`\n\n```\n<@a>\n```')
  })
})
