import { stat } from 'node:fs/promises'
import { relative } from 'node:path'
import { z } from 'zod'
import { AppError } from '../../protocol/errors.ts'
import type { SandboxResult } from '../../protocol/sandbox.ts'
import {
  type BoundCall,
  defineTool,
  type ToolContext,
  type ToolResult,
  toolError,
} from '../../protocol/tool.ts'
import { asResult } from '../failure.ts'
import { createOutputFolder, outputFile } from '../model-copy.ts'
import { oneLine } from '../one-line.ts'
import { existingPath, refused } from '../workspace-path.ts'
import { vetEnvironment } from './environment.ts'
import { guardRepositories } from './git-guard.ts'
import { commandResult } from './result-text.ts'

/** One argument of a process may have 128 KB; a person must be able to read what is approved. */
const COMMAND_CHARACTERS = 32_768
const OUTPUT_BYTES = 24_000

export const shellTool = defineTool({
  name: 'shell',
  description:
    'Runs a bash command in the sandbox of this chat and waits for it. Each call starts fresh: no variables, functions or cd of an earlier call, ' +
    'no input, no terminal; what it leaves in the background ends with it. It may need the approval of a person. ' +
    'To read, search or change files, prefer read_file, grep, glob and edit_file, which need none.',
  input: z.strictObject({
    command: z
      .string()
      .min(1)
      .max(COMMAND_CHARACTERS)
      .describe('What bash runs, exactly. Pass flags such as --yes: nobody can answer questions.')
      .meta({ examples: ['npm test'] }),
    cwd: z
      .string()
      .default('.')
      .describe('Working directory relative to the workspace. Default: the workspace.')
      .meta({ examples: ['packages/api'] }),
    timeout_ms: z
      .int()
      .min(1_000)
      .max(600_000)
      .default(120_000)
      .describe('Ends the command after this many milliseconds, 1000 to 600000. Default 120000.'),
    env: z
      .record(z.string(), z.string())
      .default({})
      .describe('Variables to add. PATH, HOME and variables that make programs load code are refused.')
      .meta({ examples: [{ CI: '1' }] }),
  }),
  readOnly: false,
  risk: 'command',
  title: (args, text) => text('tools.shell.title', { command: oneLine(args.command) }),
  bind: (args, ctx) => bindCommand(args, ctx),
  run: (_args, ctx, signal, bound) => asResult(() => runCommand(bound, ctx, signal)),
})

interface ShellArguments {
  readonly command: string
  readonly cwd: string
  readonly timeout_ms: number
  readonly env: Readonly<Record<string, string>>
}

/** The exact call (I2): bytes, real directory with its identity, environment, sandbox. */
async function bindCommand(args: ShellArguments, ctx: ToolContext): Promise<BoundCall> {
  const status = ctx.sandbox.status()
  if (status.kind === 'unavailable')
    throw new AppError('tool.unavailable', 'No command can run here.', { hint: status.reason })
  if (args.command.includes('\0')) throw refused('The command holds a NUL.', 'Write it as plain text.')
  const cwd = await existingPath(ctx.workspace, args.cwd)
  const cwdId = await folderId(cwd, args.cwd)
  await guardRepositories(args.command, cwd, ctx.workspace)
  return {
    tool: 'shell',
    args,
    command: args.command,
    cwd,
    cwdId,
    env: vetEnvironment(args.env),
    timeoutMs: args.timeout_ms,
    sandboxProfile: status.profile,
  }
}

/** Device and inode of a folder: what a path names may be exchanged, this may not. */
async function folderId(path: string, name: string): Promise<string> {
  const found = await stat(path)
  if (!found.isDirectory()) throw refused(`cwd "${name}" is not a folder.`, 'Name a folder of the workspace.')
  return `${found.dev}:${found.ino}`
}

async function runCommand(bound: BoundCall, ctx: ToolContext, signal: AbortSignal): Promise<ToolResult> {
  const { command, cwd, timeoutMs } = bound
  if (command === undefined || cwd === undefined || timeoutMs === undefined) {
    throw new AppError('tool.failed', 'The call was not bound.', { hint: 'This is a fault of the service.' })
  }
  const name = relative(ctx.workspace, cwd) || '.'
  const real = await existingPath(ctx.workspace, name)
  if (real !== cwd || (await folderId(real, name)) !== bound.cwdId) {
    throw refused(`The folder "${name}" is not the one that was approved.`, 'Make the call again.')
  }
  if (ctx.sandbox.status().profile !== bound.sandboxProfile) {
    throw refused('The sandbox has changed since this call was made.', 'Make the call again.')
  }
  await createOutputFolder(ctx.privateDir)
  const log = outputFile(ctx.privateDir, ctx.callId, 'log')
  const result = await start(bound, { command, cwd, timeoutMs, logPath: log.path }, ctx, signal)
  return 'ok' in result ? result : commandResult(result, log.name)
}

async function start(
  bound: BoundCall,
  exact: { command: string; cwd: string; timeoutMs: number; logPath: string },
  ctx: ToolContext,
  signal: AbortSignal,
): Promise<SandboxResult | ToolResult> {
  try {
    return await ctx.sandbox.run(
      {
        ...exact,
        workspace: ctx.workspace,
        env: bound.env ?? {},
        statusPath: statusPathOf(ctx),
        outputBytes: OUTPUT_BYTES,
      },
      signal,
    )
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    ctx.logger.warn({ code: error.code, callId: ctx.callId }, 'command could not be run to its end')
    const type = error.code === 'sandbox.unavailable' ? 'unavailable' : 'failed'
    return toolError(type, error.message, error.hint)
  }
}

/** Where the runner records how a call's command ended. */
export function statusPathOf(where: Pick<ToolContext, 'privateDir' | 'callId'>): string {
  return outputFile(where.privateDir, where.callId, 'json').path
}
