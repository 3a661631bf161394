import { open } from 'node:fs/promises'
import { z } from 'zod'
import { AppError } from '../../protocol/errors.ts'
import { type AnyTool, defineTool, type ToolContext, type ToolResult } from '../../protocol/tool.ts'
import { createOutputWindow } from '../../sandbox/index.ts'
import { asResult } from '../failure.ts'
import { page } from '../search/page.ts'
import { jobFiles } from './job-record.ts'
import { jobLine, jobState } from './job-text.ts'
import type { Job, Jobs } from './jobs.ts'

/** Longest wait; shorter than what the watchdog of a run allows a tool. */
const MOST_WAIT_MS = 600_000
const TAIL_BYTES = 24_000
const LIST_LIMIT = 50

const input = z.strictObject({
  id: z
    .string()
    .min(1)
    .optional()
    .describe('Id that start_command returned. Without it, all commands of this session are listed.')
    .meta({ examples: ['job-abcdefg'] }),
  wait_ms: z
    .int()
    .min(0)
    .max(MOST_WAIT_MS)
    .default(0)
    .describe('Wait up to this many milliseconds for it to end, at most 600000. Default 0: answer at once.'),
  lines: z
    .int()
    .min(1)
    .max(200)
    .default(20)
    .describe('Newest lines of output to show. Default 20; more cost context.'),
})

/** How background commands are doing. */
export function createCommandStatus(jobs: Jobs): AnyTool {
  return defineTool({
    name: 'command_status',
    description:
      'Tells how a command of start_command is doing: running, its exit code, or lost after a restart, and the newest lines of its output. ' +
      'Can wait for its end; one long wait is better than many short ones. Ending it: stop_command.',
    input,
    readOnly: true,
    risk: 'read',
    title: (args, text) => text('tools.command_status.title', { id: args.id ?? '*' }),
    run: (args, ctx, signal) =>
      asResult(async () => {
        if (args.id === undefined) return list(await jobs.list(ctx), ctx)
        await existing(jobs, ctx, args.id)
        await jobs.wait(args.id, args.wait_ms, signal)
        return status(await existing(jobs, ctx, args.id), args.lines, ctx)
      }),
  })
}

function list(all: readonly Job[], ctx: ToolContext): ToolResult {
  const items = all.toReversed().map((job) => jobLine(job, ctx.clock))
  return page({ noun: 'background commands', items, total: items.length, complete: true }, 0, LIST_LIMIT)
}

/** The command of that id in this session, or the refusal that names those there are. */
export async function existing(jobs: Jobs, ctx: ToolContext, id: string): Promise<Job> {
  const job = await jobs.find(ctx, id)
  if (job) return job
  const known = (await jobs.list(ctx)).map((one) => one.id)
  throw new AppError('tool.not_found', `There is no background command "${id}" in this session.`, {
    hint: known.length === 0 ? 'Start one with start_command.' : `There are: ${known.join(', ')}.`,
  })
}

async function status(job: Job, lines: number, ctx: ToolContext): Promise<ToolResult> {
  const { log } = jobFiles(ctx.privateDir, job.id)
  const tail = await tailOf(log.path, lines)
  const head = `${job.id}: ${jobState(job, ctx.clock)} (${tail.bytes} bytes of output)`
  const rest = tail.whole
    ? ''
    : `\n(only the newest lines; all of it: read_file or grep with path "${log.name}")`
  return {
    ok: true,
    text: `${head}\n${tail.text === '' ? '(no output)' : tail.text}${rest}`,
    data: { id: job.id, state: job.state, exit_code: job.end?.exitCode ?? null, output: log.name },
  }
}

async function tailOf(
  path: string,
  lines: number,
): Promise<{ readonly text: string; readonly bytes: number; readonly whole: boolean }> {
  const file = await open(path).catch(() => undefined)
  // Not begun yet, or its output is forgotten.
  if (!file) return { text: '', bytes: 0, whole: true }
  try {
    const { size } = await file.stat()
    const part = Buffer.alloc(Math.min(TAIL_BYTES, size))
    const { bytesRead } = await file.read(part, 0, part.length, size - part.length)
    const window = createOutputWindow(2 * TAIL_BYTES)
    window.add(part.subarray(0, bytesRead))
    const all = window.read().text.trimEnd().split('\n')
    const whole = size <= TAIL_BYTES && all.length <= lines
    return { text: all.slice(-lines).join('\n'), bytes: size, whole }
  } finally {
    await file.close()
  }
}
