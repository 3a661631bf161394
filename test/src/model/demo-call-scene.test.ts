import { describe, expect, it } from 'vitest'
import { createTranslate } from '../../../src/locale/index.ts'
import { nextReply } from '../../../src/model/demo-scene.ts'
import type { ToolSpec } from '../../../src/protocol/model.ts'

const specs: ToolSpec[] = ['grep', 'file_info', 'mcp__notes__echo'].map((name) => ({
  ...{ name, description: '', parameters: {} },
}))
const reply = (said: string) =>
  nextReply({ said, results: [] }, specs, { text: createTranslate('zh-CN'), weekStart: () => 0 })

describe('calling a tool by its name', () => {
  it.each([
    ['调用 file_info {"path":"a.md"}', 'file_info', { path: 'a.md' }],
    ['使用工具 `grep` {"pattern":"x","limit":0}', 'grep', { pattern: 'x', limit: 0 }],
    ['call the tool grep', 'grep', {}],
    ['调用 mcp__notes__echo {"message":"hi"}', 'mcp__notes__echo', { message: 'hi' }],
    ['调用 file_info {"path": 7}', 'file_info', { path: 7 }],
  ])('%s', (said, tool, args) => {
    expect(reply(said).call).toEqual({ tool, args })
  })

  it('a word that is no tool is left to the other phrases; a name with arguments is said to be missing', () => {
    expect(reply('使用 Excel 打开').call).toBeUndefined()
    expect(reply('调用 screenshot {}').say).toContain('没有提供 screenshot 工具')
  })
})
