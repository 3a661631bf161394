/** The commands. A new one is a file here and a line below; each is loaded only when it is called. */
import { parseArgs } from 'node:util'
import { isAppError } from '../protocol/errors.ts'
import type { Command } from './command.ts'

interface Entry {
  readonly usage: string
  readonly load: () => Promise<Command>
}

const commands: Readonly<Record<string, Entry>> = {
  serve: {
    usage: 'run the service (default); without a configuration: the playground',
    load: async () => (await import('./serve.ts')).serve,
  },
  doctor: {
    usage: 'check configuration, machine and tenants, and say what to change',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  init: { usage: 'write a first yizhan.yaml', load: async () => (await import('./init.ts')).init },
  audit: {
    usage: 'verify the audit chain and show its newest rows',
    load: async () => (await import('./audit.ts')).audit,
  },
  mcp: {
    usage: 'be an MCP server on stdin and stdout (--tools workstation | workbench | agent | all | names)',
    load: async () => (await import('./mcp.ts')).mcp,
  },
  policy: {
    usage: '"COMMAND": show what the rules say about a command',
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
  if (values.help === true) return void process.stdout.write(usage())
  if (!entry) {
    process.stderr.write(`There is no command "${name}".\n\n${usage()}`)
    process.exitCode = 2
    return
  }
  const text = (value: string | boolean | undefined): string | undefined =>
    typeof value === 'string' ? value : undefined
  // Whoever reads only the first lines (`| head`) has what was wanted.
  if (name !== 'serve') process.stdout.once('error', endQuietly)
  // No timer of the house keeps the process alive, so a command that waits for one has to.
  const alive = setInterval(() => {}, LONG_MS)
  try {
    const command = await entry.load()
    await command({
      args,
      configFile: text(values.config),
      role: text(values.role),
      tools: text(values.tools),
    })
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`)
    // A start that failed half-way may hold sockets and the lock of dataDir; nothing of it may live on.
    process.exit(isAppError(error, 'cli.usage') ? 2 : 1)
  } finally {
    clearInterval(alive)
  }
}

function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit()
}

function usage(): string {
  const lines = Object.entries(commands).map(([name, { usage: about }]) => `  ${name.padEnd(10)} ${about}`)
  return `yizhan <command> [--config FILE]\n\n${lines.join('\n')}\n`
}

function explain(error: unknown): string {
  if (isAppError(error)) return `✗ ${error.message}${error.hint ? `\n→ ${error.hint}` : ''}`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
