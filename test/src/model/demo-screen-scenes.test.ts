import { describe, expect, it } from 'vitest'
import { createTranslate } from '../../../src/locale/index.ts'
import { nextReply } from '../../../src/model/demo-scene.ts'
import type { ToolSpec } from '../../../src/protocol/model.ts'

const TOOLS = [
  'browser_navigate',
  'browser_snapshot',
  'browser_click',
  'browser_screenshot',
  'ax_script',
  'keyboard_type',
  'screenshot',
  'read_file',
]
const specs: ToolSpec[] = TOOLS.map((name) => ({ name, description: '', parameters: {} }))
const SNAPSHOT = '- heading "立即购买的说明" [ref=e2]\n- button "立即购买" [ref=e5]'

/** The calls of a turn, with these results for them. */
function play(said: string, results: readonly string[], locale: 'zh-CN' | 'en' = 'zh-CN') {
  const done: { call: { id: string; name: string; arguments: string }; text: string; isError: boolean }[] = []
  for (let step = 0; step <= results.length; step++) {
    const reply = nextReply({ said, results: done }, specs, {
      text: createTranslate(locale),
      weekStart: () => 0,
    })
    if (!reply.call)
      return { calls: done.map(({ call }) => [call.name, JSON.parse(call.arguments)]), last: reply.say }
    const call = { id: String(step), name: reply.call.tool, arguments: JSON.stringify(reply.call.args) }
    done.push({ call, text: results[step] ?? '', isError: false })
  }
  throw new Error('the scene does not end')
}

describe('scenes of the demo model with screens', () => {
  it.each([
    ['打开 http://127.0.0.1:8080/shop，点击“立即购买”，截图发给我', 'zh-CN'],
    ['打开 http://127.0.0.1:8080/shop 点击 立即购买 截图发给我', 'zh-CN'],
    ['open http://127.0.0.1:8080/shop, click “立即购买” and send me a screenshot', 'en'],
  ] as const)('%s', (said, locale) => {
    const { calls, last } = play(said, ['opened', SNAPSHOT, 'clicked', '- text: 已购买', 'sent'], locale)
    expect(calls).toEqual([
      ['browser_navigate', { url: 'http://127.0.0.1:8080/shop' }],
      ['browser_snapshot', {}],
      ['browser_click', { ref: 'e5' }],
      ['browser_snapshot', {}],
      ['browser_screenshot', { send: true }],
    ])
    expect(last).toContain('已购买')
  })

  it('only opens when nothing else is said, and says when there is no such element', () => {
    expect(play('打开 https://example.com', ['opened', SNAPSHOT]).calls).toHaveLength(2)
    expect(play('打开 https://example.com 点击 退款', ['opened', SNAPSHOT]).last).toContain('没有找到“退款”')
  })

  it('在虚拟桌面输入 …', () => {
    const { calls, last } = play('在虚拟桌面输入 你好，驿站', ['open', 'typed', 'text "你好，驿站"', 'sent'])
    expect(calls).toEqual([
      ['ax_script', { script: 'open mousepad' }],
      ['keyboard_type', { text: '你好，驿站' }],
      ['ax_script', { script: 'read role "text"' }],
      ['screenshot', { send: true }],
    ])
    expect(last).toContain('你好，驿站')
  })

  it('reading a file is still reading a file', () => {
    expect(play('打开 report.md', ['content']).calls).toEqual([['read_file', { path: 'report.md' }]])
  })

  it.each([
    [
      '打开 http://127.0.0.1:8080 截图发给我',
      /浏览器默认关闭[\s\S]*`browser: \{ enabled: true, allow: \["127\.0\.0\.1:8080"\] \}`/,
    ],
    ['在虚拟桌面输入 你好', /虚拟桌面默认关闭[\s\S]*`computer: \{ enabled: true \}`/],
  ])('%s: what is off is said with the lines that turn it on', (said, words) => {
    const reply = nextReply({ said, results: [] }, [], { text: createTranslate('zh-CN'), weekStart: () => 0 })
    expect(reply.call).toBeUndefined()
    expect(reply.say).toMatch(words)
  })
})
