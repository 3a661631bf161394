import { describe, expect, it } from 'vitest'
import { parseInline, parseMarkdown, safeHref } from '../../../../src/console/pages/markdown.ts'

const paragraph = (text: string) => ({ type: 'paragraph', children: [{ type: 'text', text }] })

describe('blocks', () => {
  it('reads headings, paragraphs, rules and quotes', () => {
    expect(parseMarkdown('# 标题 #\n\n一\n\n---\n> 引')).toEqual([
      { type: 'heading', level: 1, children: [{ type: 'text', text: '标题' }] },
      paragraph('一'),
      { type: 'rule' },
      { type: 'quote', children: [paragraph('引')] },
    ])
  })

  it('keeps code literal, and shows a fence that still streams', () => {
    expect(parseMarkdown('```js\n**a** <b>\n```\n后')).toEqual([
      { type: 'code', language: 'js', text: '**a** <b>' },
      paragraph('后'),
    ])
    expect(parseMarkdown('```\nhalf')).toEqual([{ type: 'code', language: '', text: 'half' }])
  })

  it('reads nested and numbered lists and tasks', () => {
    expect(parseMarkdown('3. 三\n4. 四\n   - [x] 做了\n   - [ ] 没做')).toEqual([
      {
        type: 'list',
        start: 3,
        items: [
          { checked: undefined, children: [paragraph('三')] },
          {
            checked: undefined,
            children: [
              paragraph('四'),
              {
                type: 'list',
                start: undefined,
                items: [
                  { checked: true, children: [paragraph('做了')] },
                  { checked: false, children: [paragraph('没做')] },
                ],
              },
            ],
          },
        ],
      },
    ])
  })

  it('reads tables, and fills short rows', () => {
    expect(parseMarkdown('| a | b |\n| --- | --- |\n| 1 |')).toEqual([
      {
        type: 'table',
        head: [[{ type: 'text', text: 'a' }], [{ type: 'text', text: 'b' }]],
        rows: [[[{ type: 'text', text: '1' }], []]],
      },
    ])
  })
})

describe('inline marks', () => {
  it('reads strong, em, del, code, breaks and escapes', () => {
    expect(parseInline('**粗** *斜* ~~删~~ `co*de`\n\\*不\\*')).toEqual([
      { type: 'strong', children: [{ type: 'text', text: '粗' }] },
      { type: 'text', text: ' ' },
      { type: 'em', children: [{ type: 'text', text: '斜' }] },
      { type: 'text', text: ' ' },
      { type: 'del', children: [{ type: 'text', text: '删' }] },
      { type: 'text', text: ' ' },
      { type: 'code', text: 'co*de' },
      { type: 'break' },
      { type: 'text', text: '*' },
      { type: 'text', text: '不' },
      { type: 'text', text: '*' },
    ])
  })

  it('leaves marks inside words and lone marks alone', () => {
    expect(parseInline('snake_case_name 2 * 3 * 4 ** x')).toEqual([
      { type: 'text', text: 'snake_case_name 2 * 3 * 4 ** x' },
    ])
  })

  it('links an address that was only typed, without the full stop behind it', () => {
    expect(parseInline('见 https://example.com/a。')).toEqual([
      { type: 'text', text: '见 ' },
      {
        type: 'link',
        href: 'https://example.com/a',
        children: [{ type: 'text', text: 'https://example.com/a' }],
      },
      { type: 'text', text: '。' },
    ])
  })

  it('knows the platforms’ colours and entities, as text', () => {
    expect(parseInline("<font color='grey'>a&#42;&lt;b&gt;</font>")).toEqual([
      {
        type: 'color',
        color: 'grey',
        children: [
          { type: 'text', text: 'a' },
          { type: 'text', text: '*' },
          { type: 'text', text: '<' },
          { type: 'text', text: 'b' },
          { type: 'text', text: '>' },
        ],
      },
    ])
  })

  it('B5: any other tag is text', () => {
    const text = '<img src=x onerror=alert(1)><script>alert(1)</script>'
    expect(parseInline(text)).toEqual([{ type: 'text', text }])
  })
})

describe('B5: addresses', () => {
  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    '\u0001javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    '//evil.example',
    '/local',
  ])('%j is no link', (target) => {
    expect(safeHref(target)).toBeUndefined()
  })

  it.each(['https://example.com/?a=1', 'http://localhost/', 'mailto:a@example.com'])(
    '%s is one',
    (target) => {
      expect(safeHref(target)).toBe(target)
    },
  )
})

describe('bounds', () => {
  it.each([
    ['stars', '*'.repeat(30_000)],
    ['double stars', '**a '.repeat(8_000)],
    ['backticks', '` `` '.repeat(6_000)],
    ['brackets', '[['.repeat(15_000)],
    ['quotes', '>'.repeat(20_000)],
    ['fonts', "<font color='red'>".repeat(1_500)],
    ['lists', Array.from({ length: 2_000 }, (_, i) => `${' '.repeat(i % 40)}- x`).join('\n')],
  ])('30 KB of %s are read within two seconds', (_what, text) => {
    const began = performance.now()
    expect(parseMarkdown(text).length).toBeGreaterThan(0)
    expect(performance.now() - began).toBeLessThan(2_000)
  })
})
