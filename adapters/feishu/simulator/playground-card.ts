/** A card of either version → the playground's neutral blocks, as Feishu's own client would show it. */
import type {
  PlaygroundBlock,
  PlaygroundButton,
  PlaygroundCard,
  PlaygroundColor,
  PlaygroundFile,
} from '../../../src/protocol/playground.ts'
import { components, contentOf, rootElements } from './card-tree.ts'
import { arrayOf, isObject, type JsonObject, objectOf, textOf } from './json.ts'

export interface CardLookup {
  /** Name behind an open_id, a user id or `all`. */
  nameOf(id: string): string
  file(key: string): PlaygroundFile
}

interface Painter extends CardLookup {
  /** Position of a component in reading order: the id of a button. */
  readonly ids: ReadonlyMap<JsonObject, string>
}

/** Paints a card. Components that the playground cannot show become a grey line with their tag. */
export function playgroundCard(card: JsonObject, lookup: CardLookup): PlaygroundCard {
  const ids = new Map(components(card).map(({ node }, index) => [node, String(index)]))
  const painter: Painter = { ...lookup, ids }
  const header = objectOf(card['header'])
  const title = contentOf(header['title'])
  const blocks = rootElements(card)
    .filter(isObject)
    .flatMap((node) => paint(node, painter))
  return title === '' ? { blocks } : { header: paintHeader(header, title), blocks }
}

function paintHeader(header: JsonObject, title: string): NonNullable<PlaygroundCard['header']> {
  const subtitle = contentOf(header['subtitle'])
  return {
    title,
    ...(subtitle === '' ? {} : { subtitle }),
    color: colorOf(textOf(header['template'])),
    tags: arrayOf(header['text_tag_list'])
      .map(objectOf)
      .map((tag) => ({ text: contentOf(tag['text']), color: colorOf(textOf(tag['color'])) })),
  }
}

const COLORS: Readonly<Record<string, PlaygroundColor>> = {
  blue: 'blue',
  wathet: 'blue',
  indigo: 'purple',
  turquoise: 'turquoise',
  green: 'green',
  lime: 'green',
  yellow: 'yellow',
  orange: 'orange',
  red: 'red',
  carmine: 'red',
  violet: 'purple',
  purple: 'purple',
  grey: 'grey',
  neutral: 'grey',
}

function colorOf(word: string): PlaygroundColor {
  return COLORS[word] ?? 'none'
}

function paint(node: JsonObject, painter: Painter): PlaygroundBlock[] {
  switch (node['tag']) {
    case 'markdown':
      return [{ type: 'markdown', text: cardMarkdown(textOf(node['content']), painter) }]
    case 'div':
      return paintDiv(node, painter)
    case 'hr':
      return [{ type: 'divider' }]
    case 'img':
      return [{ type: 'image', file: painter.file(textOf(node['img_key'])), alt: contentOf(node['alt']) }]
    case 'column_set':
      return paintColumns(node, painter)
    case 'collapsible_panel':
      return [
        {
          type: 'panel',
          title: contentOf(objectOf(node['header'])['title']),
          open: node['expanded'] === true,
          blocks: paintAll(node['elements'], painter),
        },
      ]
    case 'form':
    case 'interactive_container':
      return paintAll(node['elements'], painter)
    case 'action':
      return paintActions(node, painter)
    case 'note':
      return [{ type: 'note', text: arrayOf(node['elements']).map(contentOf).join(' ') }]
    case 'table':
      return [paintTable(node)]
    default:
      return paintControl(node, painter)
  }
}

function paintAll(list: unknown, painter: Painter): PlaygroundBlock[] {
  return arrayOf(list)
    .filter(isObject)
    .flatMap((node) => paint(node, painter))
}

function paintControl(node: JsonObject, painter: Painter): PlaygroundBlock[] {
  const name = textOf(node['name'])
  const disabled = node['disabled'] === true
  const label = contentOf(node['label'])
  if (node['tag'] === 'button') return [{ type: 'buttons', buttons: [paintButton(node, painter)] }]
  if (node['tag'] === 'select_static') {
    const options = arrayOf(node['options'])
      .map(objectOf)
      .map((option) => ({ value: textOf(option['value']), text: contentOf(option['text']) }))
    return [{ type: 'select', name, label, options, initial: textOf(node['initial_option']), disabled }]
  }
  if (node['tag'] === 'input') {
    const placeholder = contentOf(node['placeholder'])
    const initial = textOf(node['default_value'])
    const multiline = node['input_type'] === 'multiline_text'
    return [{ type: 'input', name, label, placeholder, initial, multiline, disabled }]
  }
  return [{ type: 'note', text: `[${textOf(node['tag'])}]` }]
}

function paintDiv(node: JsonObject, painter: Painter): PlaygroundBlock[] {
  const text = objectOf(node['text'])
  const content = textOf(text['content'])
  const fields = arrayOf(node['fields'])
    .map(objectOf)
    .map((field) => cardMarkdown(contentOf(field['text']), painter))
  const extra = isObject(node['extra']) ? paint(node['extra'], painter) : []
  const body: PlaygroundBlock[] =
    text['tag'] === 'lark_md'
      ? [{ type: 'markdown', text: cardMarkdown(content, painter) }]
      : [{ type: 'plain', text: content }]
  return [
    ...(content === '' ? [] : body),
    ...fields.map((field): PlaygroundBlock => ({ type: 'markdown', text: field })),
    ...extra,
  ]
}

/** Columns; one grey column that holds a literal text is how code looks in a card. */
function paintColumns(node: JsonObject, painter: Painter): PlaygroundBlock[] {
  const columns = arrayOf(node['columns'])
    .filter(isObject)
    .map((column) => ({
      weight: typeof column['weight'] === 'number' ? column['weight'] : 1,
      blocks: paintAll(column['elements'], painter),
    }))
  const [first] = columns
  const [only] = first?.blocks ?? []
  if (columns.length === 1 && first?.blocks.length === 1 && only) {
    return only.type === 'plain' && textOf(node['background_style']) !== ''
      ? [{ type: 'code', text: only.text }]
      : [only]
  }
  return [{ type: 'columns', columns }]
}

/** The row of controls of a version 1 card: its buttons stand together. */
function paintActions(node: JsonObject, painter: Painter): PlaygroundBlock[] {
  const actions = arrayOf(node['actions']).filter(isObject)
  const buttons = actions.filter((one) => one['tag'] === 'button')
  const others = actions.filter((one) => one['tag'] !== 'button')
  return [
    ...others.flatMap((one) => paint(one, painter)),
    ...(buttons.length === 0
      ? []
      : [{ type: 'buttons' as const, buttons: buttons.map((one) => paintButton(one, painter)) }]),
  ]
}

function paintButton(node: JsonObject, painter: Painter): PlaygroundButton {
  const type = textOf(node['type'])
  const opens = arrayOf(node['behaviors'])
    .map(objectOf)
    .find((one) => one['type'] === 'open_url')
  const url = textOf(opens?.['default_url']) || textOf(node['url'])
  return {
    id: painter.ids.get(node) ?? '',
    text: contentOf(node['text']),
    style: type.startsWith('primary') ? 'primary' : type.startsWith('danger') ? 'danger' : 'default',
    disabled: node['disabled'] === true,
    ...(url === '' ? {} : { url }),
  }
}

function paintTable(node: JsonObject): PlaygroundBlock {
  const columns = arrayOf(node['columns']).map(objectOf)
  return {
    type: 'table',
    columns: columns.map((column) => textOf(column['display_name']) || textOf(column['name'])),
    rows: arrayOf(node['rows']).map((row) =>
      columns.map((column) => String(objectOf(row)[textOf(column['name'])] ?? '')),
    ),
  }
}

/** Feishu's own tags as plain markdown: mentions by name, labels in their colour. */
export function cardMarkdown(text: string, { nameOf }: Pick<CardLookup, 'nameOf'>): string {
  return text
    .replace(
      /<at (?:id|user_id|email)=["']?([^"'>\s]+)["']?\s*>(?:[^<]*<\/at>)?/g,
      (_tag, id: string) => `@${nameOf(id)}`,
    )
    .replace(/<text_tag color=["']?(\w+)["']?>([^<]*)<\/text_tag>/g, "<font color='$1'>$2</font>")
}
