/** `${NAME}` in values: taken from the environment, or from the file that `NAME_FILE` names. */
import { readFileSync } from 'node:fs'

/** Variables as `process.env` has them; tests hand in their own. */
export type Environment = Readonly<Record<string, string | undefined>>

export interface MissingVariable {
  readonly path: readonly (string | number)[]
  readonly name: string
  /** The file that `NAME_FILE` names and that cannot be read; absent when neither is set, or what is set is empty. */
  readonly file?: string
}

export interface Expanded {
  readonly value: unknown
  readonly missing: readonly MissingVariable[]
  readonly secrets: readonly string[]
}

/** Replaces every `${NAME}` in the strings of a plain value. Keys and numbers are left alone. */
export function expandEnvironment(value: unknown, env: Environment): Expanded {
  const missing: MissingVariable[] = []
  const secrets: string[] = []
  const expandText = (text: string, path: readonly (string | number)[]): string =>
    text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, name: string) => {
      const found = lookUp(name, env)
      if (!('value' in found)) {
        missing.push({ path, name, ...found })
        return whole
      }
      secrets.push(found.value)
      return found.value
    })
  const walk = (node: unknown, path: readonly (string | number)[]): unknown => {
    if (typeof node === 'string') return expandText(node, path)
    if (Array.isArray(node)) return node.map((item, index) => walk(item, [...path, index]))
    if (node === null || typeof node !== 'object') return node
    return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, walk(item, [...path, key])]))
  }
  return { value: walk(value, []), missing, secrets }
}

/** An empty variable is one that nobody has filled in: `.env` and Compose pass `NAME=` on as it stands. */
function lookUp(name: string, env: Environment): { value: string } | { file?: string } {
  const direct = env[name]
  if (direct) return { value: direct }
  const file = env[`${name}_FILE`]
  if (!file) return {}
  try {
    const value = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
    return value === '' ? {} : { value }
  } catch {
    return { file }
  }
}

/** The process's own environment; nobody else reads it. */
export function processEnvironment(): Environment {
  return process.env
}
