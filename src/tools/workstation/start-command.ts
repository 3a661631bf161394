import { z } from 'zod'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import { bindCommand, commandFields, exactCommand } from '../command/bound-command.ts'
import { asResult } from '../failure.ts'
import { oneLine } from '../one-line.ts'
import { jobFiles } from './job-record.ts'
import type { Jobs } from './jobs.ts'

const MINUTE_MS = 60_000

/** Starts a command that goes on after the call. */
export function createStartCommand(jobs: Jobs): AnyTool {
  return defineTool({
    name: 'start_command',
    description:
      'Starts a bash command in the background of this session and returns its id at once: builds, servers for tests, long computations. ' +
      'How it goes: command_status; end it: stop_command. For what takes less than ten minutes and is needed now, use shell. ' +
      'It runs in the sandbox like any command, may need approval, and ends with the session or the service. The chat is told when it ends.',
    input: z.strictObject({
      ...commandFields,
      timeout_minutes: z
        .int()
        .min(1)
        .max(1_440)
        .default(60)
        .describe('Ends the command after this many minutes, 1 to 1440. Default 60.'),
    }),
    readOnly: false,
    risk: 'command',
    title: (args, text) => text('tools.start_command.title', { command: oneLine(args.command) }),
    bind: (args, ctx) => bindCommand('start_command', args, args.timeout_minutes * MINUTE_MS, ctx),
    run: (_args, ctx, _signal, bound) =>
      asResult(async () => {
        const job = await jobs.start(await exactCommand(bound, ctx), ctx)
        const { log } = jobFiles(ctx.privateDir, job.id)
        return {
          ok: true,
          text: `Started ${job.id}. Its output goes to "${log.name}" (read_file, grep). Use command_status with this id.`,
          data: { id: job.id, output: log.name },
        }
      }),
  })
}
