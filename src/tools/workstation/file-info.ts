import { lstat, readlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { defineTool, type ToolContext, type ToolResult } from '../../protocol/tool.ts'
import { asResult } from '../failure.ts'
import { bindPaths } from '../files/bind-paths.ts'
import { detectEncoding, encodingName } from '../files/encoding.ts'
import { oneLine } from '../one-line.ts'
import { existingPath, fileError, lexicalPath, openForReading } from '../workspace-path.ts'
import { kindOf } from './folder-scan.ts'
import { jsonResult } from './json-result.ts'

const SAMPLE_BYTES = 64 * 1024

/** Everything about one file or folder, and nothing of its content. */
export const fileInfoTool = defineTool({
  name: 'file_info',
  description:
    'Tells about one file, folder or link as JSON: kind, size in bytes, times (UTC), mode, encoding of a text. ' +
    'Its content: read_file; lines and words: text_stats; what is in a folder: list_directory.',
  input: z.strictObject({
    path: z
      .string()
      .min(1)
      .describe('File or folder, relative to the workspace or absolute inside it.')
      .meta({ examples: ['src/main.ts'] }),
  }),
  readOnly: true,
  risk: 'read',
  title: (args, text) => text('tools.file_info.title', { path: oneLine(args.path) }),
  bind: (args, ctx) => bindPaths('file_info', args, ctx.workspace, [args.path]),
  run: (args, ctx) => asResult(() => describe(args.path, ctx)),
})

async function describe(name: string, ctx: ToolContext): Promise<ToolResult> {
  const spelled = lexicalPath(ctx.workspace, name)
  // The folder is resolved, the last name is not: a link is told about, not what it leads to.
  const path =
    spelled === ctx.workspace
      ? spelled
      : join(await existingPath(ctx.workspace, dirname(spelled)), basename(spelled))
  const found = await lstat(path).catch((error) => {
    throw fileError(error, name)
  })
  const kind = kindOf(found)
  return jsonResult({
    path: name,
    kind,
    size_bytes: found.size,
    modified: found.mtime.toISOString(),
    changed: found.ctime.toISOString(),
    created: found.birthtime.toISOString(),
    mode: (found.mode & 0o7777).toString(8).padStart(4, '0'),
    hard_links: found.nlink,
    ...(kind === 'link' ? { leads_to: await readlink(path) } : {}),
    ...(kind === 'file' ? { encoding: await encodingOf(name, ctx) } : {}),
  })
}

async function encodingOf(name: string, ctx: ToolContext): Promise<string> {
  const file = await openForReading(ctx, name)
  try {
    const buffer = Buffer.alloc(Math.min(SAMPLE_BYTES, file.size))
    const { bytesRead } = await file.handle.read(buffer, 0, buffer.length, 0)
    const encoding = detectEncoding(buffer.subarray(0, bytesRead), bytesRead === file.size)
    return encoding ? encodingName(encoding) : 'binary'
  } finally {
    await file.handle.close()
  }
}
