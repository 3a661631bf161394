/**
 * Reads `yizhan.yaml`. The only room that reads the environment. What it refuses, it refuses with
 * file, line, and what to write instead; several mistakes are reported together.
 */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { LineCounter, parseDocument, type YAMLParseError } from 'yaml'
import { AppError, isAppError } from '../protocol/errors.ts'
import { isTimezone } from '../protocol/zone-time.ts'
import { type Environment, expandEnvironment } from './environment.ts'
import { explainIssue, withoutMisspelled } from './explain.ts'
import { placeIn } from './place.ts'
import { ConfigError, type ConfigProblem, type Words } from './problem.ts'
import { type Config, configSchema } from './schema.ts'

/** A configuration that passed every check, with what its readers need to talk about its file. */
export interface LoadedConfig {
  readonly config: Config
  /** Absolute path, or undefined when the built-in defaults (playground) are in force. */
  readonly file: string | undefined
  /** Every value that came from the environment or a secret file; the logger redacts them. */
  readonly secrets: readonly string[]
  /** Variables that are not set and were not needed; their values still read `${NAME}`. */
  readonly unset: readonly UnsetVariable[]
  /** Line of a key or the nearest above it; undefined without a file. */
  readonly lineOf: (path: readonly PropertyKey[]) => number | undefined
}

/** A variable that the file names and nobody has set. */
export interface UnsetVariable extends ConfigProblem {
  readonly path: readonly (string | number)[]
}

/** Whose variables have to be set: every key's, or only those of the named top-level keys. */
export type Needs = 'everything' | readonly (keyof Config)[]

export interface LoadOptions {
  /** From `--config`; wins over `YIZHAN_CONFIG` and `./yizhan.yaml`. */
  readonly file?: string | undefined
  readonly env: Environment
  readonly cwd: string
  /** Default: everything. A command that asks no model needs nobody's key. */
  readonly needs?: Needs
}

/** Finds, reads, expands and validates the configuration; throws `config.*` with every problem listed. */
export function loadConfig(options: LoadOptions): LoadedConfig {
  const file = findFile(options)
  if (file === undefined)
    return { config: configSchema.parse({}), file, secrets: [], unset: [], lineOf: () => undefined }
  return parseConfig(readText(file), { ...options, file })
}

/** The language that the file asks for, also when nothing else of it can be used; undefined when it names none. */
export function readLocale(options: LoadOptions): Config['locale'] | undefined {
  try {
    const file = findFile(options)
    const written: unknown = file === undefined ? undefined : parseDocument(readText(file)).get('locale')
    return configSchema.shape.locale.safeParse(written ?? null).data
  } catch (error) {
    if (isAppError(error)) return undefined
    throw error
  }
}

/** Validates a configuration text; `file` is only for messages. */
export function parseConfig(
  text: string,
  options: { file: string; env: Environment; needs?: Needs },
): LoadedConfig {
  const { needs = 'everything' } = options
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, merge: true })
  const syntax = document.errors.map((error) => ({
    line: lines.linePos(error.pos[0]).line,
    message: { key: 'config.problem.syntax', params: { why: syntaxWords(error) } },
    fix: { key: 'config.fix.indentation' },
  }))
  if (syntax.length > 0) throw new ConfigError(options.file, syntax)

  const raw: unknown = document.toJS() ?? {}
  const lineOf = (path: readonly PropertyKey[]): number | undefined => {
    for (let depth = path.length; depth > 0; depth--) {
      const node = document.getIn(path.slice(0, depth), true)
      const start = node !== null && typeof node === 'object' && 'range' in node ? node.range : undefined
      if (Array.isArray(start) && typeof start[0] === 'number') return lines.linePos(start[0]).line
    }
    return undefined
  }
  const expanded = expandEnvironment(raw, options.env)
  const unset = expanded.missing.map(({ path, name, file }) => ({
    path,
    line: lineOf(path),
    message: {
      key: file === undefined ? 'config.problem.unset' : 'config.problem.unset_file',
      params: { name, where: placeIn(raw, path), file: file ?? '' },
    },
    fix: { key: 'config.fix.variable', params: { name } },
  }))
  const missing = unset.filter(({ path }) => needs === 'everything' || needs.some((key) => key === path[0]))
  if (missing.length > 0) throw new ConfigError(options.file, missing)

  const parsed = configSchema.safeParse(expanded.value)
  if (!parsed.success) {
    throw new ConfigError(
      options.file,
      withoutMisspelled(parsed.error.issues, expanded.value).flatMap((issue) => {
        // What is wrong with a value that is not there yet is only that it is not there.
        const cause = unset.filter(({ path }) => isAt(path, issue.path))
        return cause.length > 0 ? cause : explainIssue(issue, expanded.value, lineOf)
      }),
    )
  }
  const semantic = crossCheck(parsed.data, lineOf)
  if (semantic.length > 0) throw new ConfigError(options.file, semantic)
  return { config: parsed.data, file: options.file, secrets: expanded.secrets, unset, lineOf }
}

/** True when `path` is the place or lies below it. */
export function isAt(path: readonly PropertyKey[], place: readonly PropertyKey[]): boolean {
  return place.length > 0 && place.every((key, depth) => key === path[depth])
}

/** Rules between keys that a schema cannot say. */
function crossCheck(
  config: Config,
  lineOf: (path: readonly PropertyKey[]) => number | undefined,
): ConfigProblem[] {
  const problems: ConfigProblem[] = []
  if (!(config.models.default in config.models.profiles)) {
    problems.push({
      line: lineOf(['models', 'default']),
      message: {
        key: 'config.problem.profile',
        params: { name: config.models.default, known: Object.keys(config.models.profiles).join(', ') },
      },
      fix: { key: 'config.fix.profile' },
    })
  }
  if (config.redis !== undefined && config.database === undefined) {
    problems.push({
      line: lineOf(['redis']),
      message: { key: 'config.problem.redis_alone' },
      fix: { key: 'config.fix.redis_alone' },
    })
  }
  if (!isTimezone(config.calendar.timezone)) {
    problems.push({
      line: lineOf(['calendar', 'timezone']),
      message: { key: 'config.problem.timezone', params: { zone: config.calendar.timezone } },
      fix: { key: 'config.fix.timezone' },
    })
  }
  const seen = new Map<string, number>()
  for (const [index, bot] of config.bots.entries()) {
    const first = seen.get(bot.id)
    if (first !== undefined) {
      problems.push({
        line: lineOf(['bots', index, 'id']),
        message: {
          key: 'config.problem.same_bot',
          params: { id: bot.id, first: first + 1, second: index + 1 },
        },
        fix: { key: 'config.fix.same_bot' },
      })
    }
    seen.set(bot.id, index)
  }
  return problems
}

const SYNTAX = new Set([
  ...['TAB_AS_INDENT', 'BAD_INDENT', 'DUPLICATE_KEY', 'MISSING_CHAR', 'UNEXPECTED_TOKEN', 'BAD_SCALAR_START'],
  ...['BAD_DQ_ESCAPE', 'MULTILINE_IMPLICIT_KEY', 'BLOCK_AS_IMPLICIT_KEY', 'BLOCK_IN_FLOW', 'BAD_ALIAS'],
])

/** Rare mistakes keep the parser's own words. */
function syntaxWords({ code, message }: YAMLParseError): string | Words {
  return SYNTAX.has(code) ? { key: `config.yaml.${code}` } : (message.split('\n')[0] ?? code)
}

function findFile({ file, env, cwd }: LoadOptions): string | undefined {
  const named = file ?? env['YIZHAN_CONFIG']
  if (named) {
    const path = resolve(cwd, named)
    if (existsSync(path)) return path
    const source = file ? '--config' : 'YIZHAN_CONFIG'
    throw new AppError('config.not_found', `there is no configuration file ${path}`, {
      hint: `Check ${source}, or run "npm run init" to write a first yizhan.yaml.`,
      params: { path, source },
    })
  }
  const usual = resolve(cwd, 'yizhan.yaml')
  return existsSync(usual) ? usual : undefined
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new AppError('config.unreadable', `${file} cannot be read`, {
      cause,
      hint: 'Check that the file belongs to the user that runs the service (chmod 600, chown).',
      params: { path: file },
    })
  }
}
