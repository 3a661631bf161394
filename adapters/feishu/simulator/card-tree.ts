/** Walking a card of either version. */
import { arrayOf, isObject, type JsonObject, objectOf, textOf } from './json.ts'

/** 2 for cards that say `schema: "2.0"`, else 1. */
export function cardVersion(card: JsonObject): 1 | 2 {
  return card['schema'] === '2.0' ? 2 : 1
}

/** Elements at the root of the card's content. */
export function rootElements(card: JsonObject): readonly unknown[] {
  return cardVersion(card) === 2 ? arrayOf(objectOf(card['body'])['elements']) : arrayOf(card['elements'])
}

const childLists = ['elements', 'columns', 'actions']

/** Components inside a component, in order. The columns of a table are data, not components. */
export function childrenOf(node: JsonObject): JsonObject[] {
  if (node['tag'] === 'table') return []
  const lists = childLists.flatMap((key) => arrayOf(node[key]))
  return [...lists, node['extra']].filter(isObject)
}

/** A component and where it stands. */
export interface Placed {
  readonly node: JsonObject
  /** Components around it, outermost first. */
  readonly inside: readonly JsonObject[]
}

/** Every component of the card in reading order. */
export function components(card: JsonObject): Placed[] {
  const visit = (node: JsonObject, inside: readonly JsonObject[]): Placed[] => [
    { node, inside },
    ...childrenOf(node).flatMap((child) => visit(child, [...inside, node])),
  ]
  return rootElements(card)
    .filter(isObject)
    .flatMap((node) => visit(node, []))
}

/** The component with this `element_id`. */
export function findElement(card: JsonObject, elementId: string): Placed | undefined {
  return components(card).find(({ node }) => node['element_id'] === elementId)
}

/** The array that holds a component, for inserting beside it or removing it. */
export function siblingsOf(card: JsonObject, placed: Placed): unknown[] {
  const parent = placed.inside.at(-1)
  const lists = parent
    ? childLists.map((key) => parent[key])
    : [objectOf(card['body'])['elements'], card['elements']]
  const list = lists.find((one) => Array.isArray(one) && one.includes(placed.node))
  return Array.isArray(list) ? list : []
}

/** Content of a text object, or the string itself. */
export function contentOf(value: unknown): string {
  return typeof value === 'string' ? value : textOf(objectOf(value)['content'])
}

/** The markdown or plain text with this `element_id`: a component, or the text inside one. */
export function findText(card: JsonObject, elementId: string): JsonObject | undefined {
  const nodes = components(card).flatMap(({ node }) => [node, objectOf(node['text'])])
  const found = nodes.find((node) => node['element_id'] === elementId)
  return found && (found['tag'] === 'markdown' || found['tag'] === 'plain_text') ? found : undefined
}
