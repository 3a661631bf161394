/** A place in the configuration as people count: `bots` item 1 (ops), not `bots.0`. */
import type { Words } from './problem.ts'

/** Dotted keys; items of lists by number and, where they have one, by their id or name. */
export function placeIn(root: unknown, path: readonly PropertyKey[]): string | Words {
  const at = path.findIndex((key) => typeof key === 'number')
  const index = path[at]
  if (typeof index !== 'number') return path.join('.')
  const list = path.slice(0, at).join('.')
  const item: unknown = path.slice(0, at + 1).reduce(below, root)
  const name = nameOf(item)
  const words: Words = {
    key: 'config.where.item',
    params: {
      list,
      number: index + 1,
      name: name === undefined ? '' : { key: 'config.where.name', params: { name } },
    },
  }
  const rest = path.slice(at + 1)
  if (rest.length === 0) return words
  return { key: 'config.where.below', params: { item: words, rest: placeIn(item, rest) } }
}

function below(value: unknown, key: PropertyKey): unknown {
  return value !== null && typeof value === 'object' ? Reflect.get(value, key) : undefined
}

function nameOf(item: unknown): string | undefined {
  const name = below(item, 'id') ?? below(item, 'name')
  return typeof name === 'string' && name !== '' ? name : undefined
}
