import { relative } from 'node:path'
import { z } from 'zod'
import { type AnyTool, defineTool, type ToolContext, type ToolResult } from '../../protocol/tool.ts'
import { asResult } from '../failure.ts'
import { bindPaths } from '../files/bind-paths.ts'
import { oneLine } from '../one-line.ts'
import { existingFolder } from '../workspace-path.ts'
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
      'Lists files of the workspace by name, sorted, hidden ones too. To search inside files, use grep; for one folder with sizes and dates, list_directory.',
    input,
    readOnly: true,
    risk: 'read',
    title: (args, text) => text('tools.glob.title', { pattern: oneLine(args.pattern) }),
    bind: (args, ctx) => bindPaths('glob', args, ctx.workspace, [args.path]),
    run: (args, ctx, signal) => asResult(() => list(program, args, ctx, signal)),
  })
}

async function list(
  program: string | undefined,
  args: z.output<typeof input>,
  ctx: ToolContext,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { workspace } = ctx
  const folder = await existingFolder(workspace, args.path, 'Name a folder, or read the file.')
  const { files, total, complete } = await findFiles(program, args, folder, ctx, signal)
  const prefix = relative(workspace, folder)
  // A newline in a name must not look like two files.
  const items = files.sort().map((name) => printable(prefix === '' ? name : `${prefix}/${name}`))
  return page({ noun: 'files', items, total, complete }, args.offset, args.limit)
}

export interface FoundFiles {
  /** Relative to the folder, in no order; fewer than `total` when there are very many. */
  readonly files: string[]
  readonly total: number
  /** False when the search ended early and `total` is a lower bound. */
  readonly complete: boolean
}

/** Files below `folder` that match a glob; links are not followed. */
export async function findFiles(
  program: string | undefined,
  wanted: { readonly pattern: string; readonly include_ignored: boolean },
  folder: string,
  ctx: Pick<ToolContext, 'sandbox' | 'privateDir' | 'callId'>,
  signal: AbortSignal,
): Promise<FoundFiles> {
  if (program) return listFast(program, wanted, folder, ctx, signal)
  const found = await walkFiles(folder, wanted.pattern, signal)
  return { ...found, total: found.files.length }
}

async function listFast(
  program: string,
  args: { readonly pattern: string; readonly include_ignored: boolean },
  folder: string,
  ctx: Pick<ToolContext, 'sandbox' | 'privateDir' | 'callId'>,
  signal: AbortSignal,
): Promise<FoundFiles> {
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
  const { complete } = await runRipgrep(program, flags, { folder, separator: '\0' }, take, ctx, signal)
  return { files, total, complete }
}

/** A name on one line. */
export const printable = (name: string): string =>
  /[\u0000-\u001f\u007f]/.test(name) ? JSON.stringify(name) : name
