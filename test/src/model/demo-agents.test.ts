import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createTranslate } from '../../../src/locale/index.ts'
import { nextReply } from '../../../src/model/demo-scene.ts'
import type { DemoTurn } from '../../../src/model/demo-turn.ts'

const NAMES = ['remember_fact', 'recall_memory', 'spawn_team', 'team_broadcast', 'team_close', 'glob']
const tools = NAMES.map((name) => ({ name, description: '', parameters: {} }))

function reply(said: string, results: readonly string[] = [], locale: 'zh-CN' | 'en' = 'zh-CN') {
  const turn: DemoTurn = {
    said,
    results: results.map((text, i) => ({
      ...{ text, isError: false },
      call: { id: `c${i}`, name: 'x', arguments: '{}' },
    })),
  }
  return nextReply(turn, tools, { text: createTranslate(locale), weekStart: () => 0 })
}

describe('the demo model', () => {
  it.each([
    ['记住：报销系统负责人是张三。', '报销系统负责人', '张三'],
    ['请记住 值班电话=8888', '值班电话', '8888'],
    ['remember that the owner is Li Si', 'the owner', 'Li Si'],
  ])('remembers: %s', (said, key, value) => {
    expect(reply(said).call).toEqual({ tool: 'remember_fact', args: { key, value } })
  })

  it.each([
    ['还记得报销系统负责人吗？', '报销系统负责人'],
    ['记得值班电话是什么', '值班电话'],
    ['do you remember the owner?', 'the owner'],
  ])('recalls: %s', (said, query) => {
    expect(reply(said).call).toEqual({ tool: 'recall_memory', args: { query } })
    expect(reply(said, ['0 facts in total, 0 returned.']).say).toBe('这里没有记过相关的事。')
    expect(reply(said, ['1 facts in total…\n{"key":"值班电话","value":"8888"}']).say).toContain(
      '值班电话：8888',
    )
  })

  it.each(['zh-CN', 'en'] as const)('asks a team of two and plays its members (%s)', (locale) => {
    const said = locale === 'en' ? 'ask the team: how many files' : '小组讨论：有多少文件'
    const spawned = '{"team_id":"team-1","members":[]}'
    expect(reply(said, [], locale).call?.tool).toBe('spawn_team')
    const { call } = reply(said, [spawned], locale)
    expect(call).toMatchObject({ tool: 'team_broadcast', args: { team_id: 'team-1' } })
    const message = z.object({ message: z.string() }).loose().parse(call?.args).message
    expect(reply(said, [spawned, 'ANSWERS'], locale).call).toEqual({
      ...{ tool: 'team_close', args: { team_id: 'team-1' } },
    })
    expect(reply(said, [spawned, 'ANSWERS', 'closed'], locale).say).toContain('ANSWERS')
    expect(reply(message, [], locale).call).toEqual({ tool: 'glob', args: { pattern: '*' } })
    expect(reply(message, ['3 files in total\na\nb\nc'], locale).say).toContain('3')
  })
})
