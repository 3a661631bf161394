import { z } from 'zod'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import { asResult } from '../failure.ts'
import { existing } from './command-status.ts'
import { jobState } from './job-text.ts'
import type { Jobs } from './jobs.ts'

/** Ends a background command with everything it started. */
export function createStopCommand(jobs: Jobs): AnyTool {
  return defineTool({
    name: 'stop_command',
    description:
      'Ends a command of start_command and every process it started; its output stays readable. Which ones there are: command_status without an id.',
    input: z.strictObject({
      id: z
        .string()
        .min(1)
        .describe('Id that start_command returned.')
        .meta({ examples: ['job-abcdefg'] }),
    }),
    readOnly: false,
    // Ends only what this session started in its own sandbox: no person needs to be asked.
    risk: 'write',
    title: (args, text) => text('tools.stop_command.title', { id: args.id }),
    run: (args, ctx) =>
      asResult(async () => {
        const before = await existing(jobs, ctx, args.id)
        if (before.state !== 'running')
          return { ok: true, text: `${args.id} had ended already: ${jobState(before, ctx.clock)}.` }
        await jobs.stop(args.id)
        const job = await existing(jobs, ctx, args.id)
        return { ok: true, text: `${args.id}: ${jobState(job, ctx.clock)}.` }
      }),
  })
}
