/**
 * Reads `yizhan.yaml`. The only room that reads the environment. What it refuses, it refuses with
 * file, line, and what to write instead; several mistakes are reported together.
 */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { LineCounter, parseDocument } from 'yaml'
import { AppError } from '../protocol/errors.ts'
import { isTimezone } from '../protocol/zone-time.ts'
import { type Environment, expandEnvironment } from './environment.ts'
import { type ConfigProblem, explainIssue } from './explain.ts'
import { type Config, configSchema } from './schema.ts'

export interface LoadedConfig {
  readonly config: Config
  /** Absolute path, or undefined when the built-in defaults (playground) are in force. */
  readonly file: string | undefined
  /** Every value that came from the environment or a secret file; the logger redacts them. */
  readonly secrets: readonly string[]
  /** Variables that are not set and were not needed; their values still read `${NAME}`. */
  readonly unset: readonly UnsetVariable[]
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
  if (file === undefined) return { config: configSchema.parse({}), file, secrets: [], unset: [] }
  return parseConfig(readText(file), { ...options, file })
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
    message: error.message.split('\n')[0] ?? error.code,
    fix: 'Check the indentation (spaces, no tabs) and the quotes on this line.',
  }))
  if (syntax.length > 0) throw configError(options.file, syntax)

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
  const unset = expanded.missing.map(({ path, name, reason }) => ({
    path,
    line: lineOf(path),
    message: `\${${name}} at ${path.join('.')} ${reason}`,
    fix: `Set the environment variable ${name}, or ${name}_FILE to the path of a file that holds the value.`,
  }))
  const missing = unset.filter(({ path }) => needs === 'everything' || needs.some((key) => key === path[0]))
  if (missing.length > 0) throw configError(options.file, missing)

  const parsed = configSchema.safeParse(expanded.value)
  if (!parsed.success) {
    throw configError(
      options.file,
      parsed.error.issues.flatMap((issue) => {
        // What is wrong with a value that is not there yet is only that it is not there.
        const cause = unset.filter(({ path }) => isAt(path, issue.path))
        return cause.length > 0 ? cause : explainIssue(issue, expanded.value, lineOf)
      }),
    )
  }
  const semantic = crossCheck(parsed.data, lineOf)
  if (semantic.length > 0) throw configError(options.file, semantic)
  return { config: parsed.data, file: options.file, secrets: expanded.secrets, unset }
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
      message: `models.default is "${config.models.default}", but models.profiles has only: ${Object.keys(config.models.profiles).join(', ')}`,
      fix: 'Name one of the profiles, or add a profile of that name.',
    })
  }
  if (config.redis !== undefined && config.database === undefined) {
    problems.push({
      line: lineOf(['redis']),
      message: 'redis is set, but database is not: processes that share wake-ups must share the store',
      fix: 'Set database: postgres://… too, or take redis out.',
    })
  }
  if (!isTimezone(config.calendar.timezone)) {
    problems.push({
      line: lineOf(['calendar', 'timezone']),
      message: `calendar.timezone: there is no time zone "${config.calendar.timezone}"`,
      fix: 'Write an IANA name such as Asia/Shanghai or America/New_York.',
    })
  }
  const seen = new Map<string, number>()
  for (const [index, bot] of config.bots.entries()) {
    const first = seen.get(bot.id)
    if (first !== undefined) {
      problems.push({
        line: lineOf(['bots', index, 'id']),
        message: `two bots have the id "${bot.id}" (bots.${first} and bots.${index})`,
        fix: 'Give each bot its own id; it is part of the webhook path and of every session.',
      })
    }
    seen.set(bot.id, index)
  }
  return problems
}

function findFile({ file, env, cwd }: LoadOptions): string | undefined {
  const named = file ?? env['YIZHAN_CONFIG']
  if (named) {
    const path = resolve(cwd, named)
    if (existsSync(path)) return path
    throw new AppError('config.not_found', `there is no configuration file ${path}`, {
      hint: `Check ${file ? '--config' : 'YIZHAN_CONFIG'}, or run "npm run init" to write a first yizhan.yaml.`,
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
    })
  }
}

/** The refusal of a file, with every problem at its line. */
export function configError(file: string, problems: readonly ConfigProblem[]): AppError {
  const list = problems.map(
    ({ line, message, fix }) => `  ${file}${line ? `:${line}` : ''}  ${message}\n      → ${fix}`,
  )
  return new AppError(
    'config.invalid',
    `the configuration has ${problems.length} problem${problems.length > 1 ? 's' : ''}:\n${list.join('\n')}`,
    {
      hint: 'Correct the lines above and start again. deploy/yizhan.example.yaml shows every key.',
    },
  )
}
