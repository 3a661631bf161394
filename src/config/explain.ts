/** Turns a schema's complaint into a sentence with a line and a way out. */
import type { z } from 'zod'
import { configSchema } from './schema.ts'

export interface ConfigProblem {
  readonly line: number | undefined
  readonly message: string
  readonly fix: string
}

type Issue = z.core.$ZodIssue
type LineOf = (path: readonly PropertyKey[]) => number | undefined

/** One problem per mistake; unknown keys of one object come apart, each with the nearest known key. */
export function explainIssue(issue: Issue, root: unknown, lineOf: LineOf): ConfigProblem[] {
  const where = issue.path.length > 0 ? issue.path.join('.') : 'the top level'
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(configSchema, issue.path, root)
    return issue.keys.map((key) => ({
      line: lineOf([...issue.path, key]),
      message: `unknown key "${key}" in ${where}`,
      fix: suggestKey(key, known),
    }))
  }
  if (issue.code === 'invalid_union' && issue.errors.some((branch) => branch.length > 0)) {
    const best = [...issue.errors].sort((a, b) => a.length - b.length)[0] ?? []
    return best.flatMap((inner) =>
      explainIssue({ ...inner, path: [...issue.path, ...inner.path] } as Issue, root, lineOf),
    )
  }
  return [{ line: lineOf(issue.path), message: saying(where, issue), fix: expectation(issue) }]
}

// zod's word for a key that has to be there.
const isMissing = (issue: Issue): boolean =>
  issue.code === 'invalid_type' &&
  (issue.expected === 'nonoptional' || issue.message.endsWith('received undefined'))

function saying(where: string, issue: Issue): string {
  return isMissing(issue) ? `${where} is missing` : `${where}: ${issue.message}`
}

function expectation(issue: Issue): string {
  if (issue.code === 'invalid_value') return `Write one of: ${issue.values.map(String).join(', ')}.`
  if (issue.code === 'invalid_type') {
    return issue.expected === 'nonoptional'
      ? 'Write it; deploy/yizhan.example.yaml shows a correct value.'
      : `Give a value of type ${issue.expected}.`
  }
  if (issue.code === 'too_small') return `The least allowed value is ${String(issue.minimum)}.`
  if (issue.code === 'too_big') return `The largest allowed value is ${String(issue.maximum)}.`
  return 'deploy/yizhan.example.yaml shows a correct value.'
}

function suggestKey(key: string, known: readonly string[]): string {
  const nearest = known
    .map((name) => ({ name, distance: editDistance(key.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)[0]
  if (nearest && nearest.distance <= Math.max(2, key.length / 3)) return `Did you mean "${nearest.name}"?`
  return `Known keys here: ${known.join(', ')}.`
}

/** Keys that the schema knows at a path, looking through defaults, unions and refinements. */
function keysAt(schema: unknown, path: readonly PropertyKey[], value: unknown): string[] {
  const forms = unwrap(schema, value)
  const [head, ...rest] = path
  if (head === undefined) return [...new Set(forms.flatMap((form) => Object.keys(form.shape ?? {})))]
  const inner =
    value !== null && typeof value === 'object' ? (value as Record<PropertyKey, unknown>)[head] : undefined
  return [
    ...new Set(
      forms.flatMap((form) =>
        keysAt(form.shape?.[String(head)] ?? form.element ?? form.valueType, rest, inner),
      ),
    ),
  ]
}

interface SchemaForm {
  readonly shape?: Record<string, unknown>
  readonly element?: unknown
  readonly valueType?: unknown
}

function unwrap(schema: unknown, value: unknown): SchemaForm[] {
  if (schema === null || typeof schema !== 'object' || !('def' in schema)) return []
  const def = schema.def as {
    type: string
    innerType?: unknown
    in?: unknown
    options?: unknown[]
    discriminator?: string
  } & SchemaForm
  if (def.innerType) return unwrap(def.innerType, value)
  if (def.type === 'pipe') return unwrap(def.in, value)
  if (def.options) {
    const forms = def.options.flatMap((option) => unwrap(option, value))
    const chosen = forms.filter((form) => matches(form, def.discriminator, value))
    return chosen.length > 0 ? chosen : forms
  }
  return [def]
}

function matches(form: SchemaForm, discriminator: string | undefined, value: unknown): boolean {
  if (!discriminator || value === null || typeof value !== 'object') return false
  const literal = form.shape?.[discriminator] as { def?: { values?: unknown[] } } | undefined
  return literal?.def?.values?.includes((value as Record<string, unknown>)[discriminator]) ?? false
}

/** Levenshtein distance; both words are short. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, swap))
    }
    row = next
  }
  return row[b.length] ?? 0
}
