import { z } from 'zod'
import { AppError } from '../../protocol/errors.ts'
import { defineTool, type ToolContext, type ToolResult } from '../../protocol/tool.ts'
import { asResult } from '../failure.ts'
import { bindPaths } from '../files/bind-paths.ts'
import { detectEncoding, encodingName } from '../files/encoding.ts'
import { oneLine } from '../one-line.ts'
import { type OpenFile, openForReading } from '../workspace-path.ts'
import { jsonResult } from './json-result.ts'
import { createTextCounter } from './text-counter.ts'

const SAMPLE_BYTES = 64 * 1024
const CHUNK_BYTES = 256 * 1024
/** What is counted of one file. */
const MOST_BYTES = 256 * 1024 * 1024

/** Counts of one text file. */
export const textStatsTool = defineTool({
  name: 'text_stats',
  description:
    'Counts a text file as JSON: lines, words, characters, Chinese characters, bytes, longest line, encoding. ' +
    'Costs no context however large the file is. Its content: read_file; matching lines: grep.',
  input: z.strictObject({
    path: z
      .string()
      .min(1)
      .describe('File relative to the workspace or absolute inside it, or an "output:…" name.')
      .meta({ examples: ['docs/report.md'] }),
  }),
  readOnly: true,
  risk: 'read',
  title: (args, text) => text('tools.text_stats.title', { path: oneLine(args.path) }),
  bind: (args, ctx) => bindPaths('text_stats', args, ctx.workspace, [args.path]),
  run: (args, ctx, signal) => asResult(() => count(args.path, ctx, signal)),
})

async function count(name: string, ctx: ToolContext, signal: AbortSignal): Promise<ToolResult> {
  const file = await openForReading(ctx, name)
  try {
    return await countOpen(file, name, signal)
  } finally {
    await file.handle.close()
  }
}

async function countOpen(file: OpenFile, name: string, signal: AbortSignal): Promise<ToolResult> {
  const sample = Buffer.alloc(Math.min(SAMPLE_BYTES, file.size))
  const first = await file.handle.read(sample, 0, sample.length, 0)
  const encoding = detectEncoding(sample.subarray(0, first.bytesRead), first.bytesRead === file.size)
  if (!encoding) {
    throw new AppError('tool.refused', `"${name}" is binary (${file.size} bytes).`, {
      hint: 'Use file_info for its size and dates.',
    })
  }
  const decoder = new TextDecoder(encoding.name)
  const counter = createTextCounter()
  const end = Math.min(file.size, MOST_BYTES)
  const buffer = Buffer.alloc(CHUNK_BYTES)
  for (let at = 0; at < end; ) {
    signal.throwIfAborted()
    const { bytesRead } = await file.handle.read(buffer, 0, Math.min(CHUNK_BYTES, end - at), at)
    if (bytesRead === 0) break
    counter.add(decoder.decode(buffer.subarray(0, bytesRead), { stream: true }))
    at += bytesRead
  }
  const left = file.size - end
  return {
    ...jsonResult({
      path: name,
      ...counter.counts(),
      bytes: file.size,
      encoding: encodingName(encoding),
      ...(left > 0 ? { not_counted_bytes: left } : {}),
    }),
    ...(left > 0 ? { truncated: { total: file.size, returned: end } } : {}),
  }
}
