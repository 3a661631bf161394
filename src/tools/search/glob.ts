import { stat } from 'node:fs/promises'
import { relative } from 'node:path'
import { z } from 'zod'
import { type AnyTool, defineTool, type ToolResult } from '../../protocol/tool.ts'
import { asResult } from '../failure.ts'
import { bindPaths } from '../files/bind-paths.ts'
import { oneLine } from '../one-line.ts'
import { existingPath, refused } from '../workspace-path.ts'
import { walkFiles } from './fallback.ts'
import { page } from './page.ts'
import { commonArguments, runRipgrep } from './ripgrep.ts'

/** Names kept for sorting and paging; further ones are only counted. */
const KEPT = 200_000

const input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(1_000)
    .default('*')
    .describe('Glob such as *.md (any depth), src/**/*.ts or *. Default: all files.')
    .meta({ examples: ['src/**/*.ts'] }),
  path: z
    .string()
    .default('.')
    .describe('Folder relative to the workspace. Default: the workspace.')
    .meta({ examples: ['src'] }),
  include_ignored: z
    .boolean()
    .default(false)
    .describe('Also list what .gitignore leaves out. Default false.'),
  limit: z
    .int()
    .min(1)
    .max(1_000)
    .default(200)
    .describe('At most this many files. Default 200; more cost context.'),
  offset: z.int().min(0).default(0).describe('Skip this many files, to go on with a longer list.'),
})

/** The tool with ripgrep at `program`, or with a walk of our own when there is none. */
export function createGlob(program: string | undefined): AnyTool {
  return defineTool({
    name: 'glob',
    description:
      'Lists files of the workspace by name, sorted, hidden ones too. To search inside files, use grep; for sizes and dates, the shell.',
    input,
    readOnly: true,
    risk: 'read',
    title: (args, text) => text('tools.glob.title', { pattern: oneLine(args.pattern) }),
    bind: (args, ctx) => bindPaths('glob', args, ctx.workspace, [args.path]),
    run: (args, ctx, signal) => asResult(() => list(program, args, ctx.workspace, signal)),
  })
}

async function list(
  program: string | undefined,
  args: z.output<typeof input>,
  workspace: string,
  signal: AbortSignal,
): Promise<ToolResult> {
  const folder = await existingPath(workspace, args.path)
  if (!(await stat(folder)).isDirectory())
    throw refused(`"${args.path}" is a file.`, 'Name a folder, or read the file.')
  const { files, total, complete } = program
    ? await listFast(program, args, folder, signal)
    : await walkFiles(folder, args.pattern, signal).then((found) => ({ ...found, total: found.files.length }))
  const prefix = relative(workspace, folder)
  // A newline in a name must not look like two files.
  const items = files.sort().map((name) => printable(prefix === '' ? name : `${prefix}/${name}`))
  return page({ noun: 'files', items, total, complete }, args.offset, args.limit)
}

async function listFast(
  program: string,
  args: z.output<typeof input>,
  folder: string,
  signal: AbortSignal,
): Promise<{ files: string[]; total: number; complete: boolean }> {
  const files: string[] = []
  let total = 0
  const flags = [
    ...commonArguments(args.include_ignored),
    ...(args.pattern === '*' ? [] : [`--glob=${args.pattern}`]),
    ...['--glob=!.git', '--files', '--null'],
  ]
  const take = (record: string): void => {
    total++
    if (files.length < KEPT) files.push(record)
  }
  const { complete } = await runRipgrep(program, flags, { folder, separator: '\0' }, take, signal)
  return { files, total, complete }
}

const printable = (name: string): string => (/[\u0000-\u001f\u007f]/.test(name) ? JSON.stringify(name) : name)
