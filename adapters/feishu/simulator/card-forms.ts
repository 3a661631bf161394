import { interactiveTags } from './card-schema.ts'
import type { Placed } from './card-tree.ts'
import { textOf } from './json.ts'
import { invalidCard } from './refusal.ts'

/** A form needs a name, a submit button, and a name of its own on everything that takes input. */
export function checkForms(all: readonly Placed[], when: 'send' | 'click'): void {
  if (when === 'click') return
  const fault = formFault(all)
  if (fault) throw invalidCard(200530, fault)
}

/** The first mistake in the card's forms, or undefined. */
export function formFault(all: readonly Placed[]): string | undefined {
  const names = new Set<string>()
  for (const { node, inside } of all) {
    const form = node['tag'] === 'form' ? node : inside.find((one) => one['tag'] === 'form')
    if (!form) continue
    if (node === form && !hasSubmit(all, form)) return 'the form has no submit button'
    if (node !== form && !interactiveTags.has(textOf(node['tag']))) continue
    const name = textOf(node['name'])
    if (name === '') return 'a component in a form has no name'
    if (names.has(name)) return `the name ${name} is repeated`
    names.add(name)
  }
  return undefined
}

function hasSubmit(all: readonly Placed[], form: unknown): boolean {
  return all.some(
    ({ node, inside }) => node['form_action_type'] === 'submit' && inside.some((one) => one === form),
  )
}
