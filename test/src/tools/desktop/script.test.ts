import { describe, expect, it } from 'vitest'
import { AppError } from '../../../../src/protocol/errors.ts'
import { keyNames } from '../../../../src/tools/desktop/keys.ts'
import { parseScript } from '../../../../src/tools/desktop/script.ts'

describe('the language of ax_script', () => {
  it('knows these orders, and quotes as JSON does', () => {
    expect(
      parseScript(
        'open mousepad "a b.txt"\n\n  tree\nfind role "push button" name "保存"\nclick #12\ndo "activate" #3\nset #4 "两行\\n\\"引号\\""\nread name "标题"\nfocus role "text"',
      ),
    ).toEqual([
      { do: 'open', program: 'mousepad', file: 'a b.txt' },
      { do: 'tree' },
      { do: 'find', role: 'push button', name: '保存' },
      { do: 'click', element: 12 },
      { do: 'do', action: 'activate', element: 3 },
      { do: 'set', value: '两行\n"引号"', element: 4 },
      { do: 'read', name: '标题' },
      { do: 'focus', role: 'text' },
    ])
  })

  it.each([
    ['', '1 to 20 orders'],
    ['run "rm -rf /"', 'line 1'],
    ['tree\nimport os', 'line 2'],
    ['click', 'line 1'],
    ['click 12', 'line 1'],
    ['click #1 #2', 'line 1'],
    ['set #1 text', 'line 1'],
    ['find role button', 'line 1'],
    ['find style "x"', 'line 1'],
    ['"tree"', 'line 1'],
    ['read name "offen', 'not closed'],
    ['open', 'line 1'],
    ['open a b c', 'line 1'],
    [`${'tree\n'.repeat(21)}`, '1 to 20 orders'],
  ])('refuses %j and lists the forms', (text, words) => {
    const parse = () => parseScript(text)
    expect(parse).toThrow(AppError)
    expect(parse).toThrow(words)
    try {
      parse()
    } catch (error) {
      expect(error).toMatchObject({ code: 'tool.invalid_argument', hint: expect.stringContaining('tree') })
    }
  })
})

describe('key names', () => {
  it.each([
    ['Ctrl+C', 'ctrl+c'],
    ['Ctrl + Shift + s', 'ctrl+shift+s'],
    ['Alt+F4', 'alt+F4'],
    ['Enter', 'Return'],
    ['PageDown', 'Next'],
    ['Ctrl+-', 'ctrl+minus'],
    ['A', 'a'],
  ])('%s is %s', (written, known) => {
    expect(keyNames(written)).toBe(known)
  })

  it.each(['', 'Ctrl+', 'F13', 'Ctrl+Nichts', 'a b', '--clearmodifiers', 'constructor', '保存'])(
    '%j is none',
    (written) => {
      expect(keyNames(written)).toBeUndefined()
    },
  )
})
