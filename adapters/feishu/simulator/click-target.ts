/** Finding what a person presses on a card, and what the press sends. */
import { AppError } from '../../../src/protocol/errors.ts'
import { interactiveTags } from './card-schema.ts'
import { components, contentOf, type Placed } from './card-tree.ts'
import type { ClickOptions } from './control.ts'
import { arrayOf, type JsonObject, objectOf, textOf } from './json.ts'

/** What nobody could do on a real client. */
export function impossible(message: string): AppError {
  return new AppError('simulator.impossible', message, {
    hint: 'Look at the card in the transcript: a person could not do this.',
  })
}

/** Values that a component sends back: of its callback behaviours, or the old `value`. */
function callbackValue(node: JsonObject): unknown {
  const callback = arrayOf(node['behaviors'])
    .map(objectOf)
    .find((one) => one['type'] === 'callback')
  return callback ? callback['value'] : node['value']
}

/** Finds the component by label, name, element_id or part of its value; throws when it cannot be pressed. */
export function findTarget(card: JsonObject, on: ClickOptions['on']): Placed {
  const found = components(card).filter(({ node }) => {
    const isInteractive =
      interactiveTags.has(textOf(node['tag'])) ||
      node['tag'] === 'interactive_container' ||
      node['tag'] === 'overflow'
    return isInteractive && matches(node, on)
  })
  const [first] = found
  if (!first) throw impossible(`There is no component ${JSON.stringify(on)} on this card.`)
  const enabled = found.find(({ node }) => node['disabled'] !== true)
  if (!enabled) throw impossible(`The component ${JSON.stringify(on)} is disabled.`)
  return enabled
}

function matches(node: JsonObject, on: ClickOptions['on']): boolean {
  if (typeof on === 'string') return [contentOf(node['text']), node['name'], node['element_id']].includes(on)
  const value = objectOf(callbackValue(node))
  return Object.entries(on).every(([key, wanted]) => value[key] === wanted)
}

/** `action` of the callback: only what this kind of component sends. */
export function actionOf(card: JsonObject, placed: Placed, options: ClickOptions): JsonObject {
  const { node, inside } = placed
  const form = inside.find((one) => one['tag'] === 'form')
  const value = callbackValue(node)
  const name = textOf(node['name'])
  return {
    ...(value === undefined ? {} : { value }),
    tag: textOf(node['tag']),
    timezone: 'Asia/Shanghai',
    ...(name === '' ? {} : { name }),
    ...(form ? { form_value: formValues(card, form, options.form ?? {}) } : {}),
    ...(options.input === undefined ? {} : { input_value: options.input }),
    ...(options.option === undefined ? {} : { option: options.option }),
    ...(options.options === undefined ? {} : { options: options.options }),
    ...(options.checked === undefined ? {} : { checked: options.checked }),
  }
}

function formValues(
  card: JsonObject,
  form: JsonObject,
  typed: Readonly<Record<string, unknown>>,
): JsonObject {
  const inputs = components(card).filter(
    ({ node, inside }) => inside.includes(form) && node['tag'] !== 'button' && textOf(node['name']) !== '',
  )
  const names = inputs.map(({ node }) => textOf(node['name']))
  const stray = Object.keys(typed).find((name) => !names.includes(name))
  if (stray !== undefined) throw impossible(`The form has no component named ${stray}.`)
  return Object.fromEntries(
    inputs.flatMap(({ node }) => {
      const value = typed[textOf(node['name'])] ?? startValue(node)
      checkInput(node, value)
      return value === undefined ? [] : [[textOf(node['name']), value]]
    }),
  )
}

function startValue(node: JsonObject): unknown {
  const given = [
    'default_value',
    'initial_option',
    'initial_date',
    'initial_time',
    'initial_datetime',
    'selected_values',
    'checked',
  ]
  return given.map((key) => node[key]).find((value) => value !== undefined)
}

function checkInput(node: JsonObject, value: unknown): void {
  const name = textOf(node['name'])
  if (node['required'] === true && (value === undefined || value === ''))
    throw impossible(`The client asks for ${name} first.`)
  if (node['tag'] === 'input' && textOf(value).length > Number(node['max_length'] ?? 1000))
    throw impossible(`The text for ${name} is too long.`)
  if (node['tag'] !== 'select_static' || value === undefined) return
  const options = arrayOf(node['options']).map((one) => objectOf(one)['value'])
  if (!options.includes(value)) throw impossible(`${name} has no option ${String(value)}.`)
}
