/** One server as a file describes it, in the one form that the rest of the room uses. */
import { z } from 'zod'

export interface ProgramTarget {
  readonly kind: 'program'
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | undefined
  readonly network: 'none' | 'host'
}

export interface RemoteTarget {
  readonly kind: 'http' | 'sse'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly oauth?: { readonly clientId: string; readonly clientSecret?: string | undefined }
}

/** Always whole enough to be listed, also when it cannot be used. */
export interface ServerEntry {
  /** Name as its file writes it. */
  readonly name: string
  /** File it comes from. */
  readonly origin: string
  readonly disabled: boolean
  /** The exact start command or address, variables not filled in: what an administrator reads (M8). */
  readonly shown: string
  /** Absent when `problem` says why the entry cannot be used. */
  readonly target?: ProgramTarget | RemoteTarget
  readonly problem?: string
}

const words = z.array(z.coerce.string()).default([])
const texts = z.record(z.string(), z.coerce.string()).default({})

/** What Claude Code, Codex and `.mcp.json` write; unknown keys are theirs. */
export const rawServerSchema = z.looseObject({
  type: z.string().optional(),
  command: z.string().optional(),
  args: words,
  env: texts,
  cwd: z.string().optional(),
  url: z.string().optional(),
  headers: texts,
  http_headers: texts,
  env_http_headers: texts,
  bearer_token_env_var: z.string().optional(),
  /** Ours: credentials of a client that the operator registered at the authorization server. */
  oauth: z.object({ clientId: z.string(), clientSecret: z.string().optional() }).optional(),
  disabled: z.boolean().default(false),
  enabled: z.boolean().default(true),
})

export type RawServer = z.output<typeof rawServerSchema>

export interface EntrySource {
  readonly origin: string
  /** Network of programs of this source. */
  readonly network: 'none' | 'host'
  /** For `${NAME}`; undefined when the source never takes variables. */
  readonly variables: Readonly<Record<string, string | undefined>> | undefined
}

/** Reads one entry. Never throws: what is wrong with it stands in `problem`. */
export function readEntry(name: string, value: unknown, source: EntrySource): ServerEntry {
  const parsed = rawServerSchema.safeParse(value)
  const base = { name, origin: source.origin }
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const where = issue?.path.join('.') ?? ''
    return { ...base, disabled: false, shown: '', problem: `${where}: ${issue?.message ?? 'not an entry'}` }
  }
  const raw = parsed.data
  const shown = raw.url ?? [raw.command ?? '', ...raw.args].map(quote).join(' ')
  const disabled = raw.disabled || !raw.enabled
  const missing: string[] = []
  const target = targetOf(raw, source, (text) => expand(text, source.variables, missing))
  const problem = problemOf(target, missing)
  return {
    ...base,
    disabled,
    shown,
    ...(problem === undefined && target ? { target } : {}),
    ...(problem === undefined ? {} : { problem }),
  }
}

function problemOf(target: ServerEntry['target'], missing: readonly string[]): string | undefined {
  if (missing.length > 0) return `the environment variable ${[...new Set(missing)].join(', ')} is not set`
  if (!target) return 'the entry has neither command nor url'
  if (target.kind === 'program') return undefined
  const url = URL.parse(target.url)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return 'url is not an http or https address'
  if (url.username !== '' || url.password !== '') return 'url holds a password; put it into headers'
  return undefined
}

function targetOf(
  raw: RawServer,
  source: EntrySource,
  fill: (text: string) => string,
): ServerEntry['target'] {
  const all = (record: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(record).map(([key, text]) => [key, fill(text)]))
  if (raw.url !== undefined) {
    const fromEnv = Object.entries(raw.env_http_headers).map(([key, name]) => [key, fill(`\${${name}}`)])
    const bearer =
      raw.bearer_token_env_var === undefined
        ? {}
        : { Authorization: `Bearer ${fill(`\${${raw.bearer_token_env_var}}`)}` }
    return {
      kind: raw.type === 'sse' ? 'sse' : 'http',
      url: fill(raw.url),
      ...(raw.oauth === undefined ? {} : { oauth: raw.oauth }),
      headers: { ...all(raw.headers), ...all(raw.http_headers), ...Object.fromEntries(fromEnv), ...bearer },
    }
  }
  if (raw.command === undefined) return undefined
  return {
    kind: 'program',
    command: fill(raw.command),
    args: raw.args.map(fill),
    env: all(raw.env),
    cwd: raw.cwd === undefined ? undefined : fill(raw.cwd),
    network: source.network,
  }
}

/** `${NAME}` and `${NAME:-default}`, as Claude Code writes them. */
function expand(text: string, variables: EntrySource['variables'], missing: string[]): string {
  if (!variables) return text
  return text.replace(
    /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (_, name: string, fallback?: string) => {
      const value = variables[name] ?? fallback
      if (value === undefined) missing.push(name)
      return value ?? ''
    },
  )
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)
}
