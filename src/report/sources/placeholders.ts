/** `:name` placeholders: found outside strings and comments, and handed over as values, never as text. */
import { AppError } from '../../protocol/errors.ts'

const TOKENS =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|::|:([a-zA-Z_]\w*)/g

export interface Bound {
  readonly query: string
  readonly values: readonly (string | number)[]
}

/** Replaces each `:name` by the dialect's mark; rejects with the names that exist. */
export function bindPlaceholders(
  query: string,
  values: Readonly<Record<string, string | number>>,
  mark: (position: number) => string,
): Bound {
  const bound: (string | number)[] = []
  const text = query.replace(TOKENS, (token, _tag: string | undefined, name: string | undefined) => {
    if (name === undefined) return token
    const value = values[name]
    if (value === undefined) throw unknownName(name, Object.keys(values))
    bound.push(value)
    return mark(bound.length)
  })
  return { query: text, values: bound }
}

/** Names of the placeholders in a query, each once. */
export function placeholdersOf(query: string): string[] {
  return [...new Set([...query.matchAll(TOKENS)].flatMap((match) => match[2] ?? []))]
}

function unknownName(name: string, known: readonly string[]): AppError {
  return new AppError('report.unknown_placeholder', `no value for :${name}`, {
    hint: `Known are ${known.map((each) => `:${each}`).join(', ')}; :from and :to need a period.`,
    params: { name, known: known.map((each) => `:${each}`).join('、') },
  })
}
