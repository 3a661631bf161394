import { z } from 'zod'
import type { Clock } from '../../protocol/ports.ts'
import { type AnyTool, defineTool, type ToolContext, type ToolResult } from '../../protocol/tool.ts'
import { asResult } from '../failure.ts'
import { bindPaths } from '../files/bind-paths.ts'
import { oneLine } from '../one-line.ts'
import { printable } from '../search/glob.ts'
import { page } from '../search/page.ts'
import { existingFolder } from '../workspace-path.ts'
import { scanFolder, statAll } from './folder-scan.ts'
import { diskOf } from './system-status.ts'

/** A count this young is given again: counting a large workspace takes seconds. */
const FRESH_MS = 10_000
const MOST_CACHED = 50

const input = z.strictObject({
  path: z
    .string()
    .default('.')
    .describe('Folder, relative to the workspace or absolute inside it. Default: the workspace.')
    .meta({ examples: ['node_modules'] }),
  limit: z
    .int()
    .min(1)
    .max(200)
    .default(20)
    .describe('At most this many entries, largest first. Default 20; more cost context.'),
  offset: z.int().min(0).default(0).describe('Skip this many entries, to go on with a longer list.'),
})

type Arguments = z.output<typeof input>

interface Count {
  readonly at: number
  /** Bytes by entry of the folder, everything below it included; largest first. */
  readonly sizes: readonly (readonly [name: string, bytes: number])[]
  readonly bytes: number
  readonly files: number
  readonly complete: boolean
}

/** What fills a folder; read only. */
export function createDiskUsage(clock: Clock): AnyTool {
  const cache = new Map<string, Count>()
  const counted = async (folder: string, workspace: string, signal: AbortSignal): Promise<Count> => {
    const known = cache.get(folder)
    if (known && clock.monotonic() - known.at < FRESH_MS) return known
    const count = { ...(await countFolder(folder, workspace, signal)), at: clock.monotonic() }
    if (cache.size >= MOST_CACHED) cache.clear()
    cache.set(folder, count)
    return count
  }
  return defineTool({
    name: 'disk_usage',
    description:
      'Tells what fills a folder of the workspace: bytes of each entry with everything below it, largest first, and the disk that holds it. ' +
      'All sizes are bytes; counted again after 10 seconds. The whole machine: system_status; one file: file_info.',
    input,
    readOnly: true,
    risk: 'read',
    title: (args, text) => text('tools.disk_usage.title', { path: oneLine(args.path) }),
    bind: (args, ctx) => bindPaths('disk_usage', args, ctx.workspace, [args.path]),
    run: (args, ctx, signal) => asResult(() => describe(args, ctx, counted, signal)),
  })
}

async function describe(
  args: Arguments,
  ctx: ToolContext,
  counted: (folder: string, workspace: string, signal: AbortSignal) => Promise<Count>,
  signal: AbortSignal,
): Promise<ToolResult> {
  const folder = await existingFolder(ctx.workspace, args.path, 'Use file_info for a file.')
  const count = await counted(folder, ctx.workspace, signal)
  const disk = await diskOf(folder)
  const items = count.sizes.map(([name, bytes]) => `${bytes} bytes  ${printable(name)}`)
  const listing = { noun: 'entries', items, total: items.length, complete: count.complete }
  const result = page(listing, args.offset, args.limit)
  if (!result.ok) return result
  const head = `${args.path}: ${count.bytes} bytes in ${count.files} files; disk: ${disk.disk_free_bytes} of ${disk.disk_total_bytes} bytes free (${disk.disk_used_percent} % used)`
  return { ...result, text: `${head}\n${result.text}`, data: { bytes: count.bytes, ...disk } }
}

async function countFolder(
  folder: string,
  workspace: string,
  signal: AbortSignal,
): Promise<Omit<Count, 'at'>> {
  const scan = await scanFolder(workspace, folder, { recursive: true, hidden: true }, signal)
  const files = scan.entries.filter((entry) => entry.kind !== 'folder')
  const names = files.map((entry) => entry.name)
  const stats = await statAll(workspace, folder, names, signal)
  const sizes = new Map<string, number>()
  let bytes = 0
  for (const [index, name] of names.entries()) {
    const size = stats[index]?.size ?? 0
    const slash = name.indexOf('/')
    const top = slash === -1 ? name : `${name.slice(0, slash)}/`
    sizes.set(top, (sizes.get(top) ?? 0) + size)
    bytes += size
  }
  return {
    sizes: [...sizes].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)),
    bytes,
    files: names.length,
    complete: scan.complete && scan.total === scan.entries.length,
  }
}
