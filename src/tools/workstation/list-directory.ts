import { z } from 'zod'
import { defineTool, type ToolContext, type ToolResult } from '../../protocol/tool.ts'
import { asResult } from '../failure.ts'
import { bindPaths } from '../files/bind-paths.ts'
import { oneLine } from '../one-line.ts'
import { printable } from '../search/glob.ts'
import { page } from '../search/page.ts'
import { existingFolder } from '../workspace-path.ts'
import { byName, type Entry, type Scan, scanFolder, statAll } from './folder-scan.ts'

const input = z.strictObject({
  path: z
    .string()
    .default('.')
    .describe('Folder, relative to the workspace or absolute inside it. Default: the workspace.')
    .meta({ examples: ['src'] }),
  recursive: z
    .boolean()
    .default(false)
    .describe('Also what lies in its folders; costs far more context. Default false.'),
  hidden: z.boolean().default(false).describe('Also names that begin with a dot. Default false.'),
  sort: z
    .enum(['name', 'size', 'modified'])
    .default('name')
    .describe('By name, or largest or newest first. Default name.'),
  limit: z
    .int()
    .min(1)
    .max(1_000)
    .default(200)
    .describe('At most this many entries. Default 200; more cost context.'),
  offset: z.int().min(0).default(0).describe('Skip this many entries, to go on with a longer list.'),
})

type Arguments = z.output<typeof input>

/** A folder's entries with sizes and dates, any number of them. */
export const listDirectoryTool = defineTool({
  name: 'list_directory',
  description:
    'Lists what is in a folder: name, size in bytes, time of change (UTC). Links are shown, not followed. ' +
    'Everything about one file: file_info; by name pattern: glob; by content: grep.',
  input,
  readOnly: true,
  risk: 'read',
  title: (args, text) => text('tools.list_directory.title', { path: oneLine(args.path) }),
  bind: (args, ctx) => bindPaths('list_directory', args, ctx.workspace, [args.path]),
  run: (args, ctx, signal) => asResult(() => list(args, ctx, signal)),
})

async function list(args: Arguments, ctx: ToolContext, signal: AbortSignal): Promise<ToolResult> {
  const folder = await existingFolder(ctx.workspace, args.path, 'Use file_info or read_file for a file.')
  // One more than is shown, so that the page knows that there is more.
  const first = args.sort === 'name' ? { first: args.offset + args.limit + 1 } : {}
  const scan = await scanFolder(ctx.workspace, folder, { ...args, ...first }, signal)
  const sorted = await sort(scan.entries, args.sort, ctx.workspace, folder, signal)
  const shown = sorted.slice(args.offset, args.offset + args.limit)
  const lines = await describe(shown, ctx.workspace, folder, signal)
  // Only the page is described; the rest stands in the list as its place.
  const items = sorted.map((entry, index) => lines[index - args.offset] ?? entry.name)
  return withHidden(
    page({ noun: 'entries', items, total: scan.total, complete: scan.complete }, args.offset, args.limit),
    scan,
  )
}

function withHidden(result: ToolResult, scan: Scan): ToolResult {
  if (!result.ok || scan.hidden === 0) return result
  return { ...result, text: `${result.text}\n(${scan.hidden} hidden left out; hidden: true shows them)` }
}

async function sort(
  entries: Entry[],
  by: Arguments['sort'],
  workspace: string,
  folder: string,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  if (by === 'name') return entries.sort(byName)
  const stats = await statAll(
    workspace,
    folder,
    entries.map((entry) => entry.name),
    signal,
  )
  return entries
    .map((entry, index) => {
      const found = stats[index]
      // The size of a folder's own block says nothing: folders go last.
      const size = entry.kind === 'folder' ? -1 : found?.size
      return { entry, key: (by === 'size' ? size : found?.mtimeMs) ?? -1 }
    })
    .sort((a, b) => b.key - a.key || byName(a.entry, b.entry))
    .map(({ entry }) => entry)
}

async function describe(
  entries: readonly Entry[],
  workspace: string,
  folder: string,
  signal: AbortSignal,
): Promise<string[]> {
  const names = entries.map((entry) => entry.name)
  const stats = await statAll(workspace, folder, names, signal)
  return entries.map(({ name, kind }, index) => {
    const found = stats[index]
    const label = kind === 'folder' ? `${printable(name)}/` : printable(name)
    if (!found) return `${label}  (gone)`
    const size = kind === 'file' ? `${found.size} bytes` : kind
    return `${label}  ${size}  ${new Date(found.mtimeMs).toISOString().slice(0, 19)}Z`
  })
}
