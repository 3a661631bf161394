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
import { bindCommand, commandFields, type ExactCommand, exactCommand, timeoutField } from './bound-command.ts'
import { commandResult } from './result-text.ts'

const OUTPUT_BYTES = 24_000

export const shellTool = defineTool({
  name: 'shell',
  description:
    'Runs a bash command in the sandbox of this chat and waits for it. Each call starts fresh: no variables, functions or cd of an earlier call, ' +
    'no input, no terminal; what it leaves in the background ends with it (start_command is for that). It may need the approval of a person. ' +
    'To read, search or change files, prefer read_file, grep, glob and edit_file, which need none.',
  input: z.strictObject({ ...commandFields, timeout_ms: timeoutField(120_000) }),
  readOnly: false,
  risk: 'command',
  title: (args, text) => text('tools.shell.title', { command: oneLine(args.command) }),
  bind: (args, ctx) => bindCommand('shell', args, args.timeout_ms, ctx),
  run: (_args, ctx, signal, bound) => asResult(() => runCommand(bound, ctx, signal)),
})

/** Runs a bound command to its end. `mostCharacters` of its output are kept in the result. */
export async function runCommand(
  bound: BoundCall,
  ctx: ToolContext,
  signal: AbortSignal,
  mostCharacters?: number,
): Promise<ToolResult> {
  const exact = await exactCommand(bound, ctx)
  createOutputFolder(ctx.privateDir)
  const log = outputFile(ctx.privateDir, ctx.callId, 'log')
  const result = await start(exact, log.path, ctx, signal)
  return 'ok' in result ? result : commandResult(result, log.name, mostCharacters)
}

async function start(
  exact: ExactCommand,
  logPath: string,
  ctx: ToolContext,
  signal: AbortSignal,
): Promise<SandboxResult | ToolResult> {
  try {
    return await ctx.sandbox.run(
      {
        ...exact,
        workspace: ctx.workspace,
        logPath,
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
