/**
 * The exact call of a command (I2): what is judged, shown and hashed is what runs, whether somebody waits
 * for it or it goes on in the background.
 */
import { statSync } from 'node:fs'
import { relative } from 'node:path'
import { z } from 'zod'
import { AppError } from '../../protocol/errors.ts'
import type { BoundCall, ToolContext } from '../../protocol/tool.ts'
import { existingPath, refused } from '../workspace-path.ts'
import { vetEnvironment } from './environment.ts'
import { guardRepositories } from './git-guard.ts'

/** One argument of a process may have 128 KB; a person must be able to read what is approved. */
const COMMAND_CHARACTERS = 32_768

/** What every tool that runs a command asks for, beside its time limit. */
export const commandFields = {
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
  env: z
    .record(z.string(), z.string())
    .default({})
    .describe('Variables to add. PATH, HOME and variables that make programs load code are refused.')
    .meta({ examples: [{ CI: '1' }] }),
}

/** Time limit of a command that is waited for. */
export const timeoutField = (defaultMs: number) =>
  z
    .int()
    .min(1_000)
    .max(600_000)
    .default(defaultMs)
    .describe(`Ends the command after this many milliseconds, 1000 to 600000. Default ${defaultMs}.`)

export interface CommandArguments {
  readonly command: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** Bytes, real directory with its identity, environment, limit and sandbox. Rejects with what is wrong. */
export async function bindCommand(
  tool: string,
  args: CommandArguments,
  timeoutMs: number,
  ctx: ToolContext,
): Promise<BoundCall> {
  const status = ctx.sandbox.status()
  if (status.kind === 'unavailable')
    throw new AppError('tool.unavailable', 'No command can run here.', { hint: status.reason })
  if (args.command.includes('\0')) throw refused('The command holds a NUL.', 'Write it as plain text.')
  const cwd = await existingPath(ctx.workspace, args.cwd)
  const cwdId = folderId(cwd, args.cwd)
  await guardRepositories(args.command, cwd, ctx.workspace)
  return {
    tool,
    args,
    command: args.command,
    cwd,
    cwdId,
    env: vetEnvironment(args.env),
    timeoutMs,
    sandboxProfile: status.profile,
  }
}

/** What of a bound call the sandbox is given. */
export interface ExactCommand {
  readonly command: string
  readonly cwd: string
  readonly timeoutMs: number
  readonly env: Readonly<Record<string, string>>
}

/** The call as it was bound, if its folder and its sandbox are still those that were approved. */
export async function exactCommand(bound: BoundCall, ctx: ToolContext): Promise<ExactCommand> {
  const { command, cwd, timeoutMs } = bound
  if (command === undefined || cwd === undefined || timeoutMs === undefined) {
    throw new AppError('tool.failed', 'The call was not bound.', { hint: 'This is a fault of the service.' })
  }
  const name = relative(ctx.workspace, cwd) || '.'
  const real = await existingPath(ctx.workspace, name)
  if (real !== cwd || folderId(real, name) !== bound.cwdId) {
    throw refused(`The folder "${name}" is not the one that was approved.`, 'Make the call again.')
  }
  if (ctx.sandbox.status().profile !== bound.sandboxProfile) {
    throw refused('The sandbox has changed since this call was made.', 'Make the call again.')
  }
  return { command, cwd, timeoutMs, env: bound.env ?? {} }
}

/** Device and inode of a folder: what a path names may be exchanged, this may not. */
function folderId(path: string, name: string): string {
  const found = statSync(path)
  if (!found.isDirectory()) throw refused(`cwd "${name}" is not a folder.`, 'Name a folder of the workspace.')
  return `${found.dev}:${found.ino}`
}
