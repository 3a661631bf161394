import { describe, expect, it } from 'vitest'
import { buildSystemPrompt, type PromptFacts } from '../../../../src/engine/index.ts'
import { createPromptMarks } from '../../../../src/session/prompt-marks.ts'

const facts: PromptFacts = {
  botName: '驿站',
  platform: '飞书',
  chatType: 'group',
  locale: 'zh-CN',
  workspaceNote: '最多 1 GB。',
  rules: '',
}

describe('system prompt', () => {
  it('is Chinese first, names the place, and is the same every time', () => {
    const prompt = buildSystemPrompt(facts)
    expect(prompt).toMatch(/^你是 驿站，飞书群聊里的工作助手。/)
    expect(prompt).toContain('最多 1 GB。')
    expect(buildSystemPrompt(facts)).toBe(prompt)
    expect(buildSystemPrompt({ ...facts, chatType: 'direct', locale: 'en' })).toContain(
      'in a direct chat on 飞书',
    )
  })

  it('P1: explains the marks exactly as the projection writes them', () => {
    const fence = createPromptMarks('s')
    for (const locale of ['zh-CN', 'en'] as const) {
      const prompt = buildSystemPrompt({ ...facts, locale })
      for (const label of ['message from', 'untrusted', 'end']) {
        const shape = fence
          .line(label)
          .replace(/#\w+ /, locale === 'en' ? '#mark ' : '#标记 ')
          .replace(/\]$/, '')
        expect(prompt).toContain(shape)
      }
    }
  })

  it('adds rules, cut where they would crowd out the tools', () => {
    const prompt = buildSystemPrompt({ ...facts, rules: '规'.repeat(10_000) })
    expect(prompt.match(/规/g)?.length).toBe(4_000 + 1 + (buildSystemPrompt(facts).match(/规/g)?.length ?? 0))
    expect(prompt).toContain('## 本群规则')
  })
})
