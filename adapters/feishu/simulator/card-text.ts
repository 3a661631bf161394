/** A card in words: for people reading a transcript, and the lossy form other bots receive. */
import { cardVersion, childrenOf, components, contentOf, rootElements } from './card-tree.ts'
import { arrayOf, isObject, type JsonObject, objectOf, textOf } from './json.ts'

/** What one would read aloud: title, texts and labels, one a line. */
export function cardText(card: JsonObject): string {
  const header = objectOf(card['header'])
  const tags = arrayOf(header['text_tag_list']).map((tag) => contentOf(objectOf(tag)['text']))
  const title = [contentOf(header['title']), ...tags].filter((part) => part !== '').join(' ')
  const lines = components(card).map(({ node }) => nodeText(node))
  return [title, contentOf(header['subtitle']), ...lines].filter((line) => line !== '').join('\n')
}

function nodeText(node: JsonObject): string {
  if (node['tag'] === 'button') return `[${contentOf(node['text'])}]`
  if (node['tag'] === 'collapsible_panel') return contentOf(objectOf(node['header'])['title'])
  if (node['tag'] === 'table') return tableText(node)
  if (node['tag'] === 'markdown' || node['tag'] === 'plain_text' || node['tag'] === 'lark_md')
    return textOf(node['content'])
  const fields = arrayOf(node['fields']).map((field) => contentOf(objectOf(field)['text']))
  return [contentOf(node['text']), ...fields].filter((part) => part !== '').join('\n')
}

function tableText(node: JsonObject): string {
  const columns = arrayOf(node['columns']).map(objectOf)
  const head = columns.map((column) => textOf(column['display_name']))
  const rows = arrayOf(node['rows']).map((row) =>
    columns.map((column) => String(objectOf(row)[textOf(column['name'])] ?? '')),
  )
  return [head, ...rows].map((cells) => cells.join(' | ')).join('\n')
}

/** Content of an `interactive` message as events and plain GETs carry it. */
export function lossyCard(card: JsonObject): JsonObject {
  const title = contentOf(objectOf(card['header'])['title'])
  if (cardVersion(card) === 2 && rootElements(card).length === 0) return { title, elements: [] }
  const elements = rootElements(card)
    .filter(isObject)
    .map((node) => [node, ...deep(node)].flatMap(lossyNode))
    .filter((line) => line.length > 0)
  return { title, elements }
}

function deep(node: JsonObject): JsonObject[] {
  return childrenOf(node).flatMap((child) => [child, ...deep(child)])
}

function lossyNode(node: JsonObject): JsonObject[] {
  const tag = textOf(node['tag'])
  if (tag === 'button')
    return [{ tag, text: contentOf(node['text']), type: textOf(node['type']) || 'default' }]
  if (tag === 'img') return [{ tag, image_key: textOf(node['img_key']) }]
  if (tag === 'hr') return [{ tag }]
  if (tag === 'select_static')
    return [{ tag, options: arrayOf(node['options']).map((one) => contentOf(objectOf(one)['text'])) }]
  const text = nodeText(node)
  return text === '' ? [] : [{ tag: 'text', text }]
}
