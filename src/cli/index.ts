/** The commands. A new one is a file here and a line below; each is loaded only when it is called. */
import { parseArgs } from 'node:util'
import { createTranslate } from '../locale/index.ts'
import { isAppError } from '../protocol/errors.ts'
import type { Locale, Translate } from '../protocol/ports.ts'
import type { Command } from './command.ts'
import { errorWords } from './error-words.ts'
import { languageOf } from './language.ts'
import { endWithReader } from './reader-gone.ts'

interface Entry {
  readonly load: () => Promise<Command>
}

const commands: Readonly<Record<string, Entry>> = {
  serve: {
    load: async () => (await import('./serve.ts')).serve,
  },
  doctor: {
    load: async () => (await import('./doctor.ts')).doctor,
  },
  init: { load: async () => (await import('./init.ts')).init },
  audit: {
    load: async () => (await import('./audit.ts')).audit,
  },
  mcp: {
    load: async () => (await import('./mcp.ts')).mcp,
  },
  policy: {
    load: async () => (await import('./policy.ts')).policy,
  },
}

const LONG_MS = 3_600_000

/** Runs one command; sets the exit code: 0, 1 when it failed, 2 when it was called wrongly. */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    strict: false,
    options: {
      config: { type: 'string', short: 'c' },
      help: { type: 'boolean', short: 'h' },
      role: { type: 'string' },
      tools: { type: 'string' },
    },
  })
  const [name = 'serve', ...args] = positionals
  const entry = commands[name]
  const configFile = typeof values.config === 'string' ? values.config : undefined
  const locale = languageOf(configFile)
  const words = createTranslate(locale)
  if (name !== 'serve' || values.help === true) endWithReader(process)
  if (values.help === true) return void process.stdout.write(usage(words))
  if (!entry) {
    process.stderr.write(`${words('cli.unknown_command', { name })}\n\n${usage(words)}`)
    process.exitCode = 2
    return
  }
  const text = (value: string | boolean | undefined): string | undefined =>
    typeof value === 'string' ? value : undefined
  // No timer of the house keeps the process alive, so a command that waits for one has to.
  const alive = setInterval(() => {}, LONG_MS)
  try {
    const command = await entry.load()
    await command({
      args,
      configFile,
      role: text(values.role),
      tools: text(values.tools),
      locale,
      text: words,
    })
  } catch (error) {
    process.stderr.write(`${explain(error, locale, words)}\n`)
    // A start that failed half-way may hold sockets and the lock of dataDir; nothing of it may live on.
    process.exit(isMisuse(error) ? 2 : 1)
  } finally {
    clearInterval(alive)
  }
}

function usage(text: Translate): string {
  const lines = Object.keys(commands).map((name) => `  ${name.padEnd(10)} ${text(`cli.usage.${name}`)}`)
  return `${text('cli.usage.head')}\n\n${lines.join('\n')}\n`
}

const MISUSES = ['cli.no_command', 'cli.no_role', 'cli.no_workspace', 'cli.no_tools']

function isMisuse(error: unknown): boolean {
  return MISUSES.some((code) => isAppError(error, code))
}

function explain(error: unknown, locale: Locale, text: Translate): string {
  if (!isAppError(error)) return error instanceof Error ? (error.stack ?? error.message) : String(error)
  const { message, hint } = errorWords(error, locale, text)
  return `✗ ${message}${hint ? `\n→ ${hint}` : ''}`
}
