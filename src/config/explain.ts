/** Turns a schema's complaint into a sentence with a line and a way out. */
import type { z } from 'zod'
import { placeIn } from './place.ts'
import type { ConfigProblem, Words } from './problem.ts'
import { configSchema } from './schema.ts'

type Issue = z.core.$ZodIssue
/** What the schema says of a value's form, and the text that says it in every language. */
export const FORMS: ReadonlyMap<string, string> = new Map([
  ['a duration such as 30s, 30m, 12h or 7d', 'config.form.duration'],
  ['lower-case letters, digits and hyphens, at most 32', 'config.form.id'],
  ['a user as platform:id, e.g. feishu:ou_0123 or wecom:zhangsan', 'config.form.user'],
  ['a URL such as https://bot.example.com', 'config.form.url'],
  ['a moment with its offset, e.g. "2026-12-31T18:00:00+08:00"', 'config.form.moment'],
  ['a number of tokens, or unlimited', 'config.form.tokens'],
  ['an App ID: cli_ and 16 hexadecimal digits', 'config.form.app_id'],
  ['an EncodingAESKey of exactly 43 letters and digits', 'config.form.aes_key'],
  ['a token of at least 16 characters', 'config.form.token'],
  ['an address like postgres://user:password@host:5432/yizhan', 'config.form.postgres'],
  ['an address like redis://host:6379', 'config.form.redis'],
  ['letters, digits, hyphens and underscores, at most 48', 'config.form.report'],
  ['a local time such as 2026-12-24T09:00', 'config.form.local_time'],
  ['a date that exists, such as 2026-12-24T09:00', 'config.form.date'],
  ['working hours such as 09:00-18:00', 'config.form.hours'],
  ['hours that end after they begin, such as 09:00-18:00', 'config.form.hours_order'],
  ['a day such as 2026-12-31', 'config.form.day'],
  ['at most 10m', 'config.form.jitter'],
  ['ids that differ from each other', 'config.form.ids'],
  ['a wecom bot needs aibot, app or groupRobots', 'config.form.wecom_parts'],
  ['an MCP server needs either command or url', 'config.form.mcp_way'],
  [
    'transport: webhook needs both encryptKey and verificationToken (console: Events & callbacks → Encryption strategy)',
    'config.form.webhook_keys',
  ],
  [
    'previousEncryptKey is for transport: webhook; a long connection has no Encrypt Key',
    'config.form.previous_key',
  ],
  [
    'previousUntil needs previousEncryptKey: the key that is refused from then on',
    'config.form.previous_until',
  ],
  [
    'app.previous needs app.token and app.encodingAesKey: the keys that are taken from now on',
    'config.form.app_previous',
  ],
])

const TOP: Words = { key: 'config.problem.top' }

type LineOf = (path: readonly PropertyKey[]) => number | undefined

/** One problem per mistake; unknown keys of one object come apart, each with the nearest known key. */
export function explainIssue(issue: Issue, root: unknown, lineOf: LineOf): ConfigProblem[] {
  const where = issue.path.length > 0 ? placeIn(root, issue.path) : TOP
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(configSchema, issue.path, root)
    return issue.keys.map((key) => ({
      line: lineOf([...issue.path, key]),
      message: { key: 'config.problem.unknown_key', params: { key, where } },
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

function saying(where: string | Words, issue: Issue): Words {
  if (isMissing(issue)) return { key: 'config.problem.missing', params: { where } }
  return { key: 'config.problem.wrong', params: { where, why: whyWords(issue) } }
}

function whyWords(issue: Issue): string | Words {
  const form = FORMS.get(issue.message)
  if (form !== undefined) return { key: form }
  if (issue.code === 'invalid_type')
    return { key: 'config.why.type', params: { expected: typeWords(issue.expected) } }
  if (issue.code === 'invalid_value') return { key: 'config.why.value' }
  if (issue.code === 'too_small') return { key: 'config.why.small' }
  if (issue.code === 'too_big') return { key: 'config.why.big' }
  return issue.message
}

const TYPES = new Set(['string', 'number', 'int', 'boolean', 'array', 'object', 'record'])

function typeWords(expected: string): string | Words {
  return TYPES.has(expected) ? { key: `config.type.${expected}` } : expected
}

function expectation(issue: Issue): Words {
  if (issue.code === 'invalid_value')
    return { key: 'config.fix.one_of', params: { values: issue.values.map(String).join(', ') } }
  if (issue.code === 'invalid_type' && issue.expected === 'nonoptional') return { key: 'config.fix.write' }
  if (issue.code === 'invalid_type')
    return { key: 'config.fix.type', params: { expected: typeWords(issue.expected) } }
  if (issue.code === 'too_small') return { key: 'config.fix.least', params: { least: String(issue.minimum) } }
  if (issue.code === 'too_big') return { key: 'config.fix.most', params: { most: String(issue.maximum) } }
  return { key: 'config.fix.example' }
}

function suggestKey(key: string, known: readonly string[]): Words {
  const name = nearestKey(key, known)
  if (name !== undefined) return { key: 'config.fix.did_you_mean', params: { name } }
  return { key: 'config.fix.known', params: { names: known.join(', ') } }
}

function nearestKey(key: string, known: readonly string[]): string | undefined {
  const nearest = known
    .map((name) => ({ name, distance: editDistance(key.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)[0]
  return nearest && nearest.distance <= Math.max(2, key.length / 3) ? nearest.name : undefined
}

/** The issues without keys that are missing only because they are misspelled beside: that is told already. */
export function withoutMisspelled(issues: readonly Issue[], root: unknown): Issue[] {
  const meant = new Set(
    issues.flatMap((issue) => {
      if (issue.code !== 'unrecognized_keys') return []
      const known = keysAt(configSchema, issue.path, root)
      return issue.keys.map((key) => [...issue.path, nearestKey(key, known)].join('\n'))
    }),
  )
  return issues.filter((issue) => !(isMissing(issue) && meant.has(issue.path.join('\n'))))
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
