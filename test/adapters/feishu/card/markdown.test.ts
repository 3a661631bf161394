import { describe, expect, it } from 'vitest'
import { chunkMarkdown } from '../../../../adapters/feishu/card/chunk.ts'
import { breakMentions, literalMarkdown } from '../../../../adapters/feishu/card/literal.ts'
import { cardMarkdown } from '../../../../adapters/feishu/card/markdown.ts'

const table = (name: string): string => `| ${name} | b |\n| --- | --- |\n| 1 | 2 |`

describe('cardMarkdown', () => {
  it.each([
    ['<at id=all></at> 好', '&#60;at id=all>&#60;/at> 好'],
    ["<font color='red'>x</font>", "&#60;font color='red'>x&#60;/font>"],
    ['**粗** *斜* ~~删~~', '**粗** *斜* ~~删~~'],
    ['[x](javascript:alert(1))', 'x (javascript:alert(1))'],
    ['[维基](https://a.example/x_(y))', '[维基](https://a.example/x_(y))'],
    ['[x](https://a.example "题")', '[x](https://a.example)'],
    ['[x](/etc/passwd)', 'x (/etc/passwd)'],
    ['[x](https://a.example/b)', '[x](https://a.example/b)'],
    ['![图](https://a.example/b.png)', '[图](https://a.example/b.png)'],
    ['![图](img_v3_secret)', '图 (img_v3_secret)'],
    ['![](file:///etc/passwd)', 'file:///etc/passwd'],
    ['见https://a.example/x，谢谢', '见https://a.example/x ，谢谢'],
    ['`<b>` 与 <b>', '`<b>` 与 &#60;b>'],
  ])('C14, X4: %j → %j', (input, expected) => {
    expect(cardMarkdown(input, 5)).toBe(expected)
  })

  it('C14: no mention survives in code, inline or fenced, whatever our idea of code is', () => {
    const hostile = '`<at id=all></at>`\n```\n<at id=ou_x></at>\n````\n~~~ <at id=all>\n< at id=all>'
    expect(cardMarkdown(hostile, 5)).not.toMatch(/<\s*\/?\s*at\b/i)
  })

  it('closes an open fence, but leaves it open while the answer grows', () => {
    expect(cardMarkdown('```sh\nls', 5)).toBe('```sh\nls\n```')
    expect(cardMarkdown('```sh\nls', 5, true)).toBe('```sh\nls')
    expect(cardMarkdown('```sh\nls -l', 5, true).startsWith(cardMarkdown('```sh\nls', 5, true))).toBe(true)
  })

  it('feishu 23: the sixth table is shown as code and nothing is lost', () => {
    const six = [1, 2, 3, 4, 5, 6].map((n) => table(`t${n}`)).join('\n\n')
    const painted = cardMarkdown(six, 5)
    expect(painted.split('```').length - 1).toBe(2)
    expect(painted).toContain('```\n| t6 | b |\n| --- | --- |\n| 1 | 2 |\n```')
    expect(painted.replaceAll('```\n', '').replaceAll('\n```', '')).toBe(six)
  })

  it('stays fast on hostile input', () => {
    const started = performance.now()
    cardMarkdown('!['.repeat(10_000), 5)
    cardMarkdown('https://'.repeat(4_000), 5)
    cardMarkdown(`|-${' '.repeat(20_000)}x`, 5)
    expect(performance.now() - started).toBeLessThan(3_000)
  })
})

describe('literals', () => {
  it('C14: markup becomes characters', () => {
    expect(literalMarkdown('<at id=all> **x** `y` [a](b)')).toBe(
      '&#60;at id=all&#62; &#42;&#42;x&#42;&#42; &#96;y&#96; &#91;a&#93;&#40;b&#41;',
    )
  })

  it('text messages cannot mention', () => {
    expect(breakMentions('<at user_id="all"></at>')).toBe('<\u2060at user_id="all"><\u2060/at>')
  })
})

describe('chunkMarkdown', () => {
  it('feishu 22: cuts at lines, keeps the order and balances every fence', () => {
    const code = Array.from({ length: 400 }, (_, n) => `echo ${n} ${'字'.repeat(20)}`).join('\n')
    const chunks = chunkMarkdown(`前言\n\`\`\`sh\n${code}\n\`\`\`\n结尾`, 2_000)
    expect(chunks.length).toBeGreaterThan(4)
    for (const chunk of chunks) {
      expect(chunk.length).toBeLessThanOrEqual(2_000)
      expect((chunk.match(/```/g) ?? []).length % 2).toBe(0)
    }
    const words = chunks
      .join('\n')
      .split('\n')
      .filter((line) => !line.startsWith('```'))
    expect(words).toEqual(['前言', ...code.split('\n'), '结尾'])
  })

  it('never cuts inside a code point', () => {
    const chunks = chunkMarkdown('😀'.repeat(5_000), 1_000)
    expect(chunks.join('').replaceAll('\n', '')).toBe('😀'.repeat(5_000))
    expect(chunks.every((chunk) => chunk.isWellFormed())).toBe(true)
  })
})
