import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStage, type Stage } from './stage.ts'

describe('card rules', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage({ settings: { rateLimits: false } })
  })
  afterAll(() => stage.close())

  /** `ok`, `230099/<inner>` or the code alone. */
  const verdict = async (card: object): Promise<string> => {
    const { code, msg } = await stage.send(stage.group, 'interactive', card)
    const inner = /ErrCode: (\d+)/.exec(msg)?.[1]
    return code === 0 ? 'ok' : inner ? `${code}/${inner}` : `${code}`
  }
  const two = (elements: object[], rest = {}): object => ({ schema: '2.0', ...rest, body: { elements } })
  const md = (content: string, rest = {}): object => ({ tag: 'markdown', content, ...rest })
  const button = (rest = {}): object => ({
    tag: 'button',
    text: { tag: 'plain_text', content: 'Go' },
    behaviors: [{ type: 'callback', value: { a: '1' } }],
    ...rest,
  })
  const form = (elements: object[], rest = { name: 'f' }): object => ({ tag: 'form', elements, ...rest })
  const submit = { form_action_type: 'submit', name: 'ok' }

  it('takes the documented approval card', async () => {
    const select = {
      tag: 'select_static',
      name: 'scope',
      options: [{ text: { tag: 'plain_text', content: 'once' }, value: 'once' }],
    }
    const input = {
      tag: 'input',
      name: 'reason',
      placeholder: { tag: 'plain_text', content: 'why' },
      max_length: 200,
      required: false,
    }
    const columns = {
      tag: 'column_set',
      columns: [{ tag: 'column', elements: [button({ ...submit, type: 'primary_filled' })] }],
    }
    const header = {
      title: { tag: 'plain_text', content: 'Approval' },
      template: 'orange',
      text_tag_list: [{ tag: 'text_tag', text: { tag: 'plain_text', content: 'pending' }, color: 'orange' }],
    }
    const config = {
      update_multi: true,
      enable_forward: false,
      summary: { content: 'x' },
      width_mode: 'fill',
    }
    expect(
      await verdict(
        two([md('```sh\nls\n```', { element_id: 'cmd' }), form([input, select, columns])], {
          header,
          config,
        }),
      ),
    ).toBe('ok')
  })

  it.each([
    ['an unknown property of a component', two([md('a', { colour: 'red' })]), '230099/200621'],
    ['an unknown property of the root', two([], { footer: {} }), '230099/200621'],
    ['an unknown property of config', two([], { config: { wide_screen_mode: true } }), '230099/200621'],
    [
      'an unknown property of a text',
      two([{ tag: 'div', text: { tag: 'plain_text', content: 'a', bold: true } }]),
      '230099/200621',
    ],
    ['an unknown tag', two([{ tag: 'slider' }]), '230099/200621'],
    ['the removed tag note', two([{ tag: 'note', elements: [] }]), '230099/200861'],
    ['the removed tag action', two([{ tag: 'action', actions: [] }]), '230099/200861'],
    ['update_multi false', two([], { config: { update_multi: false } }), '230099/300302'],
    ['a header without title', two([], { header: { template: 'red' } }), '230099/200621'],
    [
      'an unknown header colour',
      two([], { header: { title: { tag: 'plain_text', content: 'a' }, template: 'pink' } }),
      '230099/200621',
    ],
    ['a body without elements', { schema: '2.0', body: {} }, '230099/200621'],
    [
      'a repeated element_id',
      two([md('a', { element_id: 'x' }), md('b', { element_id: 'x' })]),
      '230099/300301',
    ],
    ['an element_id of 21 characters', two([md('a', { element_id: 'a'.repeat(21) })]), '230099/200621'],
    ['an element_id that begins with a digit', two([md('a', { element_id: '1a' })]), '230099/200621'],
    [
      'a button text of 101 characters',
      two([button({ text: { tag: 'plain_text', content: '长'.repeat(101) } })]),
      '230099/200621',
    ],
    ['an unknown button type', two([button({ type: 'huge' })]), '230099/200621'],
    [
      'a form inside a column',
      two([{ tag: 'column_set', columns: [{ tag: 'column', elements: [form([button(submit)])] }] }]),
      '230099/200621',
    ],
    [
      'an unknown image',
      two([{ tag: 'img', img_key: 'img_none', alt: { tag: 'plain_text', content: '' } }]),
      '230099/200570',
    ],
    ['a web image in markdown', two([md('![a](https://example.com/a.png)')]), '230099/200570'],
    ['a mention of nobody', two([md('<at id=ou_nobody></at>')]), '230099/100290'],
    ['a 1.0 card with a body', { body: { elements: [] } }, '230099/200621'],
    ['a template that does not exist', { type: 'template', data: { template_id: 'x' } }, '230099/200380'],
    ['an entity that does not exist', { type: 'card', data: { card_id: '1' } }, '230099/200740'],
  ])('refuses %s', async (_, card, expected) => {
    expect(await verdict(card)).toBe(expected)
  })

  it('ignores unknown properties of a 1.0 card', async () => {
    expect(
      await verdict({
        elements: [
          { tag: 'note', elements: [], colour: 'red' },
          { tag: 'action', actions: [button()] },
        ],
      }),
    ).toBe('ok')
  })

  it('mentions people it knows, and leaves code and images in code alone', async () => {
    const openId = stage.control.openId(stage.ann, stage.app.appId)
    expect(await verdict(two([md(`<at id=${openId}></at> <at id=all></at> \`<at id=ou_x></at>\``)]))).toBe(
      'ok',
    )
    expect(await verdict(two([md('```\n![a](http://x/a.png)\n```')]))).toBe('ok')
  })

  it('counts tables, markdown tables included, but not those in code', async () => {
    const table = '| a | b |\n|---|---|\n| 1 | 2 |\n\n'
    const component = {
      tag: 'table',
      columns: [{ name: 'a', display_name: 'A', data_type: 'text' }],
      rows: [{ a: '1' }],
    }
    expect(await verdict(two([md(table.repeat(4)), component]))).toBe('ok')
    expect(await verdict(two([md(table.repeat(5)), component]))).toBe('230099/11310')
    expect(await verdict(two([md(`${table.repeat(5)}\`\`\`\n${table}\`\`\``)]))).toBe('ok')
  })

  it('counts everything with a tag up to 200, and containers up to five deep', async () => {
    const lines = (count: number): object[] => Array.from({ length: count }, () => md('x'))
    expect(await verdict(two(lines(200)))).toBe('ok')
    expect(await verdict(two(lines(201)))).toBe('230099/11310')
    const nest = (depth: number): object =>
      depth === 0
        ? md('x')
        : {
            tag: 'collapsible_panel',
            header: { title: { tag: 'plain_text', content: 't' } },
            elements: [nest(depth - 1)],
          }
    expect(await verdict(two([nest(4)]))).toBe('ok')
    expect(await verdict(two([nest(6)]))).toBe('230099/11310')
  })

  it('feishu 28: refuses a form without submit, and an empty or repeated name', async () => {
    const input = (name: string): object => ({ tag: 'input', name })
    expect(await verdict(two([form([input('a')])]))).toBe('230099/200530')
    expect(await verdict(two([form([input(''), button(submit)])]))).toBe('230099/200530')
    expect(await verdict(two([form([input('a'), input('a'), button(submit)])]))).toBe('230099/200530')
    expect(await verdict(two([form([input('a'), button({ form_action_type: 'submit' })])]))).toBe(
      '230099/200530',
    )
    expect(await verdict(two([form([input('a'), button(submit)])]))).toBe('ok')
  })

  it('refuses an image of another app with 230017', async () => {
    const other = stage.control.createApp({ name: 'Other' })
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    const upload = new FormData()
    upload.set('image_type', 'message')
    upload.set('image', new Blob([png]), 'a.png')
    const key = (await stage.call('POST', '/im/v1/images', upload, other)).data['image_key']
    expect(await verdict(two([md(`![a](${String(key)})`)]))).toBe('230017')
  })
})
