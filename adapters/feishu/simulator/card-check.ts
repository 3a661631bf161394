/**
 * Refuses the cards that the platform refuses. JSON 2.0 is checked strictly (unknown properties, tags,
 * counts, forms, ids, images); JSON 1.0 ignores unknown properties, as the platform does.
 */
import { checkForms } from './card-forms.ts'
import * as schema from './card-schema.ts'
import { cardVersion, components, contentOf, type Placed } from './card-tree.ts'
import { arrayOf, isObject, type JsonObject, objectOf, textOf } from './json.ts'
import { partyOfAt } from './mentions.ts'
import { invalidCard, Refusal } from './refusal.ts'
import type { App, State } from './state.ts'

const maxElements = 200
const maxTables = 5
const maxDepth = 5

/** Throws a refusal 230099 with the inner number, or 230017 for a foreign image. */
export function checkCard(state: State, app: App, card: JsonObject): void {
  const all = components(card)
  checkMentions(state, app, all)
  checkImages(state, app, all)
  if (cardVersion(card) === 1) checkVersionOne(card)
  else checkVersionTwo(card, all, state.settings.formCheckedAt)
}

function checkVersionTwo(card: JsonObject, all: readonly Placed[], formsAt: 'send' | 'click'): void {
  checkFrame(card)
  for (const placed of all) checkComponent(placed)
  checkIds(all)
  checkCounts(card, all)
  checkForms(all, formsAt)
}

function unknownProperty(name: string, path: string): Refusal {
  return invalidCard(
    200621,
    'parse card json err, please check whether the card json is correct',
    `unknown property, property: ${name}, path: ${path}`,
  )
}

function checkKeys(node: JsonObject, allowed: ReadonlySet<string>, path: string): void {
  for (const key of Object.keys(node)) if (!allowed.has(key)) throw unknownProperty(key, path)
}

function checkVersionOne(card: JsonObject): void {
  if (card['body'] !== undefined) throw invalidCard(200621, 'body needs schema 2.0')
  if (Object.keys(card).length > 0 && !Array.isArray(card['elements']) && !isObject(card['i18n_elements']))
    throw invalidCard(200621, 'elements is missing')
}

function checkFrame(card: JsonObject): void {
  checkKeys(card, schema.rootProperties, 'ROOT')
  const config = objectOf(card['config'])
  checkKeys(config, schema.configProperties, 'ROOT -> config')
  if (config['update_multi'] === false) throw invalidCard(300302, 'update_multi must be true in a 2.0 card')
  const header = objectOf(card['header'])
  checkKeys(header, schema.headerProperties, 'ROOT -> header')
  if (card['header'] !== undefined && !isObject(header['title']))
    throw invalidCard(200621, 'header title is missing')
  const template = header['template']
  if (template !== undefined && !schema.headerTemplates.has(textOf(template)))
    throw invalidCard(200621, 'header template is unknown', textOf(template))
  checkKeys(objectOf(card['body']), schema.bodyProperties, 'ROOT -> body')
  if (card['body'] !== undefined && !Array.isArray(objectOf(card['body'])['elements']))
    throw invalidCard(200621, 'body elements is missing')
}

function checkComponent({ node, inside }: Placed): void {
  const tag = textOf(node['tag'])
  const path = [...inside.map((one) => textOf(one['tag'])), tag].join(' -> ')
  if (tag === 'note' || tag === 'action')
    throw invalidCard(
      200861,
      'cards of schema V2 no longer support this capability',
      `unsupported tag ${tag}`,
    )
  const allowed = schema.propertiesOf(tag)
  if (!allowed) throw invalidCard(200621, 'unknown component tag', `tag: ${tag}, path: ${path}`)
  checkKeys(node, allowed, `ROOT -> body -> ${path}`)
  const nested = inside.filter((one) => schema.containerTags.has(textOf(one['tag']))).length
  if (nested >= maxDepth) throw invalidCard(11310, 'components are nested too deep', path)
  if ((tag === 'table' || tag === 'form') && inside.length > 0)
    throw invalidCard(200621, `${tag} must stand at the root of the body`, path)
  if (tag === 'markdown' && typeof node['content'] !== 'string')
    throw invalidCard(200621, 'markdown content is missing', path)
  if (tag === 'button') checkButton(node, path)
  if (tag === 'input' && Number(node['max_length'] ?? 1) > 1000)
    throw invalidCard(200621, 'max_length is over 1000', path)
  checkTexts(node, path)
}

function checkButton(node: JsonObject, path: string): void {
  const text = node['text']
  if (text !== undefined && (!isObject(text) || text['tag'] !== 'plain_text'))
    throw invalidCard(200621, 'button text must be plain_text', path)
  if ([...contentOf(text)].length > 100) throw invalidCard(200621, 'button text is over 100 characters', path)
  if (node['type'] !== undefined && !schema.buttonTypes.has(textOf(node['type'])))
    throw invalidCard(200621, 'button type is unknown', textOf(node['type']))
  for (const behavior of arrayOf(node['behaviors']).map(objectOf))
    if (behavior['type'] !== 'callback' && behavior['type'] !== 'open_url')
      throw invalidCard(200621, 'behavior type is unknown', path)
}

/** Text objects inside a component: a known tag and nothing else but its own properties. */
function checkTexts(node: JsonObject, path: string): void {
  for (const key of ['text', 'placeholder', 'label', 'title', 'alt', 'hover_tips', 'disabled_tips']) {
    const text = node[key]
    if (!isObject(text)) continue
    const allowed = schema.propertiesOf(textOf(text['tag']))
    if (!allowed?.has('content')) throw invalidCard(200621, 'unknown text tag', `${path} -> ${key}`)
    checkKeys(text, allowed, `${path} -> ${key}`)
  }
}

function checkIds(all: readonly Placed[]): void {
  const seen = new Set<string>()
  for (const { node } of all) {
    const id = node['element_id']
    if (id === undefined) continue
    if (typeof id !== 'string' || !/^[A-Za-z][A-Za-z0-9_]{0,19}$/.test(id))
      throw invalidCard(200621, 'element_id is invalid', String(id))
    if (seen.has(id)) throw invalidCard(300301, 'element_id is repeated', id)
    seen.add(id)
  }
}

function checkCounts(card: JsonObject, all: readonly Placed[]): void {
  if (countTagged(card) > maxElements)
    throw invalidCard(11310, 'card element count over limit', `limit ${maxElements}`)
  if (countTables(all) > maxTables)
    throw invalidCard(11310, 'card table number over limit', `limit ${maxTables}`)
}

/** Everything with a tag counts: components and the text objects in them. */
function countTagged(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + countTagged(one), 0)
  if (!isObject(value)) return 0
  const inner = Object.values(value).reduce<number>((sum, one) => sum + countTagged(one), 0)
  return inner + (typeof value['tag'] === 'string' ? 1 : 0)
}

/** Table components and markdown tables together; a fenced table is code. */
function countTables(all: readonly Placed[]): number {
  return all.reduce((sum, { node }) => {
    if (node['tag'] === 'table') return sum + 1
    return node['tag'] === 'markdown' ? sum + markdownTables(textOf(node['content'])) : sum
  }, 0)
}

function markdownTables(text: string): number {
  let fence = ''
  let count = 0
  let previous = ''
  for (const line of text.split('\n')) {
    const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark && fence === '') fence = mark
    else if (mark?.startsWith(fence)) fence = ''
    if (
      fence === '' &&
      previous.includes('|') &&
      /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/.test(line) &&
      line.includes('|')
    )
      count++
    previous = line
  }
  return count
}

function checkMentions(state: State, app: App, all: readonly Placed[]): void {
  for (const { node } of all) {
    const texts = outsideCode([textOf(node['content']), contentOf(node['text'])].join('\n'))
    for (const [, list] of texts.matchAll(/<at ids?=["']?([^"'>\s/]+)["']?\s*\/?>/g))
      for (const id of (list ?? '').split(','))
        if (!partyOfAt(state, app, id)) throw invalidCard(100290, 'at or person id is invalid', id)
    const person = node['tag'] === 'person' ? textOf(node['user_id']) : ''
    if (person !== '' && !partyOfAt(state, app, person))
      throw invalidCard(100290, 'at or person id is invalid', person)
  }
}

function checkImages(state: State, app: App, all: readonly Placed[]): void {
  for (const { node } of all) {
    const inText =
      node['tag'] === 'markdown'
        ? [...outsideCode(textOf(node['content'])).matchAll(/!\[[^\]]*\]\(([^)\s]*)/g)].map(
            (found) => found[1] ?? '',
          )
        : []
    const keys = node['tag'] === 'img' ? [textOf(node['img_key'])] : inText
    for (const key of keys) {
      const resource = state.resources.get(key)
      if (resource?.kind !== 'image') throw invalidCard(200570, 'image key is invalid', key)
      if (resource.owner.id !== app.appId) throw new Refusal(230017, 'the bot does not own this image')
    }
  }
}

function outsideCode(markdown: string): string {
  return markdown.replace(/(`{3,}|~{3,})[\s\S]*?(?:\1|$)/g, '').replace(/`[^`\n]*`/g, '')
}
