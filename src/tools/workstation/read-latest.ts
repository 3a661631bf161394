import { join, relative } from 'node:path'
import { z } from 'zod'
import { AppError } from '../../protocol/errors.ts'
import { type AnyTool, defineTool, type ToolContext, type ToolResult } from '../../protocol/tool.ts'
import { asResult } from '../failure.ts'
import { bindPaths } from '../files/bind-paths.ts'
import { readLines } from '../files/read-file.ts'
import { oneLine } from '../one-line.ts'
import { findFiles, printable } from '../search/glob.ts'
import { existingFolder, openForReading } from '../workspace-path.ts'
import { statAll } from './folder-scan.ts'

const input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(1_000)
    .default('*')
    .describe('Glob such as *.log (any depth) or config/*.yaml. Default: all files.')
    .meta({ examples: ['*.log'] }),
  path: z
    .string()
    .default('.')
    .describe('Folder, relative to the workspace or absolute inside it. Default: the workspace.')
    .meta({ examples: ['logs'] }),
  include_ignored: z
    .boolean()
    .default(false)
    .describe('Also what .gitignore leaves out, often logs and builds. Default false.'),
  start_line: z.int().min(1).default(1).describe('First line, counted from 1. Default 1.'),
  line_count: z
    .int()
    .min(1)
    .max(400)
    .default(200)
    .describe('At most this many lines. Default 200; more cost context.'),
})

/** Finding and reading in one call: the newest file that matches. */
export function createReadLatest(ripgrep: string | undefined): AnyTool {
  return defineTool({
    name: 'read_latest',
    description:
      'Finds the file that was changed last among those that match a pattern, and reads it: one call instead of glob, file_info and read_file.',
    input,
    readOnly: true,
    risk: 'read',
    title: (args, text) => text('tools.read_latest.title', { pattern: oneLine(args.pattern) }),
    bind: (args, ctx) => bindPaths('read_latest', args, ctx.workspace, [args.path]),
    run: (args, ctx, signal) => asResult(() => readLatest(ripgrep, args, ctx, signal)),
  })
}

async function readLatest(
  ripgrep: string | undefined,
  args: z.output<typeof input>,
  ctx: ToolContext,
  signal: AbortSignal,
): Promise<ToolResult> {
  const folder = await existingFolder(ctx.workspace, args.path, 'Name a folder, or use read_file.')
  const found = await findFiles(ripgrep, args, folder, ctx, signal)
  const stats = await statAll(ctx.workspace, folder, found.files, signal)
  const newest = latest(found.files, (index) => stats[index]?.mtimeMs)
  if (!newest) {
    throw new AppError('tool.not_found', `No file matches "${args.pattern}".`, {
      hint: 'Use glob with a wider pattern, or include_ignored: true.',
    })
  }
  const name = relative(ctx.workspace, join(folder, newest.name))
  const { start_line, line_count } = args
  const file = await openForReading(ctx, name)
  try {
    const range = { path: name, start_line, end_line: start_line + line_count - 1, line_numbers: true }
    const result = await readLines(file, range, signal)
    if (!result.ok) return result
    const count = found.complete ? `${found.total}` : `at least ${found.total}`
    const head = `${printable(name)}, changed ${new Date(newest.time).toISOString()}, is the newest of ${count} files`
    return { ...result, text: `${head}\n${result.text}`, data: { path: name, matching: found.total } }
  } finally {
    await file.handle.close()
  }
}

function latest(
  names: readonly string[],
  timeOf: (index: number) => number | undefined,
): { readonly name: string; readonly time: number } | undefined {
  let best: { name: string; time: number } | undefined
  for (const [index, name] of names.entries()) {
    const time = timeOf(index)
    // Of two of the same time the first by name, so that the answer does not change from call to call.
    if (time !== undefined && (!best || time > best.time || (time === best.time && name < best.name)))
      best = { name, time }
  }
  return best
}
