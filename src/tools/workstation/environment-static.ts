import { readFile } from 'node:fs/promises'
import { availableParallelism, cpus, release, totalmem } from 'node:os'
import { z } from 'zod'
import { type AnyTool, defineTool, type ToolContext } from '../../protocol/tool.ts'
import { baseEnvironment, findProgram } from '../../sandbox/index.ts'
import { asResult } from '../failure.ts'
import { jsonResult } from './json-result.ts'

/** Programs that work is planned with; others are found by calling them. */
const PROGRAMS = [
  ...['bash', 'git', 'curl', 'wget', 'jq', 'rg', 'make', 'gcc', 'node', 'npm', 'python3', 'pip3', 'perl'],
  ...['ruby', 'go', 'cargo', 'java', 'php', 'sqlite3', 'psql', 'pandoc', 'pdftotext', 'libreoffice'],
  ...['ffmpeg', 'convert', 'zip', 'unzip', 'tar', 'awk', 'sed', 'diff', 'iconv', 'xxd'],
]

type Facts = Readonly<Record<string, unknown>>

/** What does not change while the service runs; `look` finds it out, once. */
export function createEnvironmentStatic(look: (workspace: string) => Promise<Facts> = machineFacts): AnyTool {
  let known: Promise<Facts> | undefined
  return defineTool({
    name: 'environment_static',
    description:
      'Tells what never changes here, as JSON: operating system, processor, memory, which commands are installed for the sandbox and which are not, ' +
      'and what the sandbox allows. Found out once, so one call is enough. What changes: environment_now, system_status.',
    input: z.strictObject({}),
    readOnly: true,
    risk: 'read',
    title: (_args, text) => text('tools.environment_static.title'),
    run: (_args, ctx) =>
      asResult(async () => {
        known ??= look(ctx.workspace)
        return jsonResult({ ...(await known), ...sandboxFacts(ctx) })
      }),
  })
}

async function machineFacts(workspace: string): Promise<Facts> {
  const path = baseEnvironment(workspace)['PATH']
  const found = await Promise.all(PROGRAMS.map((name) => findProgram(name, path)))
  return {
    os: await systemName(),
    kernel: release(),
    architecture: process.arch,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cpu_cores: availableParallelism(),
    memory_total_bytes: totalmem(),
    commands: PROGRAMS.filter((_, index) => found[index] !== undefined),
    commands_missing: PROGRAMS.filter((_, index) => found[index] === undefined),
  }
}

async function systemName(): Promise<string> {
  const text = await readFile('/etc/os-release', 'utf8').catch(() => '')
  return /^PRETTY_NAME="?([^"\n]*)/m.exec(text)?.[1] ?? process.platform
}

function sandboxFacts(ctx: ToolContext): Readonly<Record<string, unknown>> {
  const { kind, profile, reason } = ctx.sandbox.status()
  return { sandbox: kind === 'unavailable' ? `unavailable: ${reason}` : profile }
}
