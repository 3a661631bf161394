/** Operations on the components of a card entity. All change the card in place or throw a refusal. */
import { findElement, findText, type Placed, rootElements, siblingsOf } from './card-tree.ts'
import { arrayOf, isObject, type JsonObject, objectOf, parseJson, textOf } from './json.ts'
import { Refusal } from './refusal.ts'

const maxText = 100_000

function requireElement(card: JsonObject, id: string): Placed {
  const placed = findElement(card, id)
  if (!placed) throw new Refusal(300313, `the element ${id} does not exist`)
  return placed
}

/** A list or object that arrives as JSON text, or already parsed inside batch actions. */
function parsed(value: unknown): unknown {
  return typeof value === 'string' ? parseJson(value) : value
}

/** Sets the whole text so far; `content` has 1 to 100,000 characters. */
export function streamText(card: JsonObject, id: string, content: unknown): void {
  if (typeof content !== 'string' || content === '') throw new Refusal(300307, 'content is empty')
  if (content.length > maxText) throw new Refusal(300314, 'content is too long')
  const text = findText(card, id)
  if (!text) {
    requireElement(card, id)
    throw new Refusal(300310, `the element ${id} is no text`)
  }
  text['content'] = content
}

/** Adds elements before, after or at the end of a target; refuses with 300307, 300313 or 300314. */
export function insertElements(card: JsonObject, body: JsonObject): void {
  const elements = arrayOf(parsed(body['elements'])).filter(isObject)
  if (elements.length === 0) throw new Refusal(300307, 'elements is empty')
  const type = body['type']
  const target = textOf(body['target_element_id'])
  if (type === 'append') {
    listToAppend(card, target).push(...elements)
    return
  }
  if (type !== 'insert_before' && type !== 'insert_after') throw new Refusal(300314, 'type is unknown')
  const placed = requireElement(card, target)
  const list = siblingsOf(card, placed)
  list.splice(list.indexOf(placed.node) + (type === 'insert_after' ? 1 : 0), 0, ...elements)
}

function listToAppend(card: JsonObject, target: string): unknown[] {
  const list = target === '' ? rootElements(card) : requireElement(card, target).node['elements']
  if (!Array.isArray(list)) throw new Refusal(300314, 'the target holds no elements')
  return list
}

/** Puts a new element in place (`whole`) or merges properties (`partial`, where the tag must stay: 300312). */
export function replaceElement(card: JsonObject, id: string, value: unknown, how: 'whole' | 'partial'): void {
  const element = parsed(value)
  if (!isObject(element)) throw new Refusal(300307, 'the element is empty')
  const placed = requireElement(card, id)
  const next = how === 'whole' ? element : { ...placed.node, ...element }
  if (how === 'partial' && next['tag'] !== placed.node['tag'])
    throw new Refusal(300312, 'the tag of an element cannot change')
  const list = siblingsOf(card, placed)
  list[list.indexOf(placed.node)] = next
}

/** Takes an element out; refuses with 300313. */
export function removeElement(card: JsonObject, id: string): void {
  const placed = requireElement(card, id)
  const list = siblingsOf(card, placed)
  list.splice(list.indexOf(placed.node), 1)
}

/** `batch_update`: several operations as one. */
export function applyActions(card: JsonObject, value: unknown, settings: (value: unknown) => void): void {
  const actions = arrayOf(parsed(value))
  if (actions.length === 0) throw new Refusal(300307, 'actions is empty')
  for (const action of actions.map(objectOf)) {
    const params = objectOf(parsed(action['params']))
    applyAction(card, textOf(action['action']), params, settings)
  }
}

function applyAction(
  card: JsonObject,
  name: string,
  params: JsonObject,
  settings: (value: unknown) => void,
): void {
  const id = textOf(params['element_id'])
  const actions: Readonly<Record<string, () => void>> = {
    partial_update_setting: () => settings(params['settings']),
    add_elements: () => insertElements(card, params),
    delete_elements: () => {
      for (const one of arrayOf(params['element_ids'])) removeElement(card, textOf(one))
    },
    update_element: () => replaceElement(card, id, params['element'], 'whole'),
    partial_update_element: () => replaceElement(card, id, params['partial_element'], 'partial'),
  }
  const action = actions[name]
  if (!action) throw new Refusal(300314, `unknown action ${name}`)
  action()
}
