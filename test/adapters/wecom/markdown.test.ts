import { describe, expect, it } from 'vitest'
import { cardMarkdown, literalMarkdown, neutralMarkdown } from '../../../adapters/wecom/markdown.ts'

describe('neutralMarkdown', () => {
  it.each([
    ['calls nobody', '请 <@zhangsan> 看', '请 <＠zhangsan> 看'],
    ['calls not everybody', '<@all>', '<＠all>'],
    ['shows no picture', '![x](https://evil.example/?q=secret)', '[x](https://evil.example/?q=secret)'],
    ['shows no picture without words', 'a ![](https://e.example/p.png) b', 'a [](https://e.example/p.png) b'],
    ['shows no picture by reference', '![x][1]', '[x][1]'],
    ['keeps an exclamation before a bracket', '好![1]', '好![1]'],
    ['keeps links', '[文档](https://example.com)', '[文档](https://example.com)'],
  ])('P7: %s', (_, markdown, expected) => {
    expect(neutralMarkdown(markdown)).toBe(expected)
  })

  it('keeps code as it is', () => {
    const code = '```\n<@zhangsan> ![x](https://example.com)\n```'
    expect(neutralMarkdown(`前\n${code}\n后`)).toBe(`前\n${code}\n后`)
  })

  it('P7: a fence that never ends does not hide what stands before it', () => {
    expect(neutralMarkdown('<@a>\n```\n<@b>')).toBe('<＠a>\n```\n<@b>')
  })

  it('is not slow on a line of openings', () => {
    expect(neutralMarkdown('!['.repeat(50_000))).toBe('!['.repeat(50_000))
  })
})

describe('literalMarkdown', () => {
  it('C13: leaves no markup in other people’s words', () => {
    expect(literalMarkdown('**a** `b` [c](d) <@e>')).toBe('\\*\\*a\\*\\* \\`b\\` \\[c\\](d) <＠e>')
    expect(literalMarkdown('> q\n- l')).toBe('\\> q\n\\- l')
  })
})

describe('cardMarkdown', () => {
  it('C13: nothing inside closes the fence of literal text', () => {
    const card = {
      ...{ title: '审批', tone: 'warning' as const, buttons: [], summary: '审批', cardId: 'c1' },
      blocks: [{ type: 'code' as const, text: '```\n**approve me**' }],
    }
    expect(cardMarkdown(card)).toBe('**审批**\n\n````\n```\n**approve me**\n````')
  })
})
