import { describe, expect, it } from 'vitest'
import { cardMarkdown, playgroundCard } from '../../../../adapters/feishu/simulator/playground-card.ts'

const lookup = {
  nameOf: (id: string) => (id === 'ou_1' ? '张三' : id),
  file: (key: string) => ({ id: key, name: `${key}.png`, bytes: 7 }),
}
const plain = (content: string) => ({ tag: 'plain_text', content })
const div = (content: string) => ({ tag: 'div', text: plain(content) })
const blocksOf = (...elements: object[]) =>
  playgroundCard({ schema: '2.0', body: { elements } }, lookup).blocks

describe('header', () => {
  it('has a title, a colour and labels', () => {
    const header = {
      title: plain('命令审批'),
      subtitle: plain('小字'),
      template: 'carmine',
      text_tag_list: [{ tag: 'text_tag', text: plain('待审批'), color: 'neutral' }],
    }
    expect(playgroundCard({ schema: '2.0', header, body: { elements: [] } }, lookup)).toEqual({
      header: {
        title: '命令审批',
        subtitle: '小字',
        color: 'red',
        tags: [{ text: '待审批', color: 'grey' }],
      },
      blocks: [],
    })
  })
})

describe('components of version 2', () => {
  it('literal text, markdown, line, picture', () => {
    const image = { tag: 'img', img_key: 'img_1', alt: plain('图') }
    expect(blocksOf(div('**a**'), { tag: 'markdown', content: '**a**' }, { tag: 'hr' }, image)).toEqual([
      { type: 'plain', text: '**a**' },
      { type: 'markdown', text: '**a**' },
      { type: 'divider' },
      { type: 'image', file: { id: 'img_1', name: 'img_1.png', bytes: 7 }, alt: '图' },
    ])
  })

  it('one grey column of literal text is code, several columns keep their weights', () => {
    const column = (weight: number, element: object) => ({ tag: 'column', weight, elements: [element] })
    const grey = { tag: 'column_set', background_style: 'grey', columns: [column(1, div('rm -rf x'))] }
    const pair = { tag: 'column_set', columns: [column(1, div('谁')), column(3, div('张三'))] }
    expect(blocksOf(grey, pair)).toEqual([
      { type: 'code', text: 'rm -rf x' },
      {
        type: 'columns',
        columns: [
          { weight: 1, blocks: [{ type: 'plain', text: '谁' }] },
          { weight: 3, blocks: [{ type: 'plain', text: '张三' }] },
        ],
      },
    ])
  })

  it('panels, forms, inputs and tables', () => {
    const panel = {
      tag: 'collapsible_panel',
      expanded: true,
      header: { title: plain('步骤') },
      elements: [{ tag: 'markdown', content: 'a' }],
    }
    const input = {
      tag: 'input',
      name: 'why',
      label: plain('理由'),
      placeholder: plain('可空'),
      default_value: 'x',
    }
    const table = {
      tag: 'table',
      columns: [{ name: 'n', display_name: '名称' }, { name: 'v' }],
      rows: [{ n: 'a', v: 1 }],
    }
    expect(blocksOf(panel, { tag: 'form', name: 'f', elements: [input] }, table)).toEqual([
      { type: 'panel', title: '步骤', open: true, blocks: [{ type: 'markdown', text: 'a' }] },
      {
        type: 'input',
        name: 'why',
        label: '理由',
        placeholder: '可空',
        initial: 'x',
        multiline: false,
        disabled: false,
      },
      { type: 'table', columns: ['名称', 'v'], rows: [['a', '1']] },
    ])
  })

  it('buttons: colour, state, address, and an id each', () => {
    const danger = { tag: 'button', type: 'danger_filled', text: plain('删'), disabled: true }
    const link = {
      tag: 'button',
      type: 'primary_filled',
      text: plain('看'),
      behaviors: [{ type: 'open_url', default_url: 'https://example.com' }],
    }
    expect(blocksOf(danger, link)).toEqual([
      { type: 'buttons', buttons: [{ id: '0', text: '删', style: 'danger', disabled: true }] },
      {
        type: 'buttons',
        buttons: [{ id: '1', text: '看', style: 'primary', disabled: false, url: 'https://example.com' }],
      },
    ])
  })

  it('says what it cannot show', () => {
    expect(blocksOf({ tag: 'chart' })).toEqual([{ type: 'note', text: '[chart]' }])
  })
})

it('version 1: actions beside each other, fields, notes', () => {
  const card = {
    elements: [
      { tag: 'div', fields: [{ is_short: true, text: { tag: 'lark_md', content: '**a** b' } }] },
      { tag: 'note', elements: [plain('小'), plain('字')] },
      {
        tag: 'action',
        actions: [
          { tag: 'button', type: 'primary', text: plain('好') },
          { tag: 'button', text: plain('不') },
        ],
      },
    ],
  }
  expect(playgroundCard(card, lookup).blocks).toEqual([
    { type: 'markdown', text: '**a** b' },
    { type: 'note', text: '小 字' },
    {
      type: 'buttons',
      buttons: [
        { id: '5', text: '好', style: 'primary', disabled: false },
        { id: '6', text: '不', style: 'default', disabled: false },
      ],
    },
  ])
})

describe('Feishu’s own tags', () => {
  it.each([
    ['<at id=ou_1></at> 你好', '@张三 你好'],
    ['<at user_id="ou_1">谁</at>', '@张三'],
    ['<at id=all></at>', '@all'],
    ["<text_tag color='blue'>标签</text_tag>", "<font color='blue'>标签</font>"],
  ])('%s', (text, expected) => {
    expect(cardMarkdown(text, lookup)).toBe(expected)
  })
})
