import type { FileHandle } from 'node:fs/promises'
import { z } from 'zod'
import { AppError } from '../../protocol/errors.ts'
import { defineTool, type ToolResult } from '../../protocol/tool.ts'
import { asResult } from '../failure.ts'
import { wholeEnd } from '../model-copy.ts'
import { type OpenFile, openForReading } from '../workspace-path.ts'
import { bindPaths } from './bind-paths.ts'
import { decodeWhole, detectEncoding, type Encoding, encodingName } from './encoding.ts'
import { type LineWindow, scanLines } from './line-scan.ts'
import { readPicture } from './picture.ts'

const SAMPLE = 64 * 1024
/** Lines that fit in a result that is never cut again. */
const MOST_LINES = 400
const MOST_CHARACTERS = 7_400
const LINE_CHARACTERS = 1_000
/** UTF-16 has no newline byte to look for, so such a file is decoded whole. */
const UTF16_BYTES = 16 * 1024 * 1024

export const readFileTool = defineTool({
  name: 'read_file',
  description:
    'Reads a text file of the workspace with line numbers, any size; a picture comes as a picture. Without a range it begins at line 1 and says how many lines remain. ' +
    'By content: grep; by name: glob; size and dates: file_info. Long lines and long ranges cost context.',
  input: z.strictObject({
    path: z
      .string()
      .describe('File relative to the workspace, or an "output:…" name from an earlier result.')
      .meta({ examples: ['src/main.ts'] }),
    start_line: z.int().min(1).default(1).describe('First line, counted from 1. Default 1.'),
    end_line: z
      .int()
      .min(1)
      .optional()
      .describe(`Last line, inclusive. At most ${MOST_LINES} lines come at once.`),
    line_count: z.int().min(1).optional().describe('How many lines, instead of end_line.'),
    line_numbers: z.boolean().default(true).describe('Put the number before each line. Default true.'),
  }),
  readOnly: true,
  risk: 'read',
  title: (args, text) => text('tools.read_file.title', { path: args.path }),
  bind: (args, ctx) => bindPaths('read_file', args, ctx.workspace, [args.path]),
  run: (args, ctx, signal) =>
    asResult(async () => {
      const end = lastLine(args)
      const file = await openForReading(ctx, args.path)
      try {
        return await readLines(file, { ...args, end_line: end }, signal)
      } finally {
        await file.handle.close()
      }
    }),
})

export interface LineSelection {
  /** As the model named it, for messages. */
  readonly path: string
  readonly start_line: number
  readonly end_line?: number | undefined
  readonly line_numbers: boolean
}

function lastLine(args: {
  readonly start_line: number
  readonly end_line?: number | undefined
  readonly line_count?: number | undefined
}): number | undefined {
  const wrong = (message: string): AppError =>
    new AppError('tool.invalid_argument', message, { hint: 'For example start_line 10, end_line 40.' })
  if (args.line_count !== undefined) {
    if (args.end_line !== undefined) throw wrong('end_line and line_count say the same thing; give one.')
    return args.start_line + args.line_count - 1
  }
  if (args.end_line !== undefined && args.end_line < args.start_line)
    throw wrong('end_line is before start_line.')
  return args.end_line
}

/** The selected lines of an open file as the model reads them, with how many remain. */
export async function readLines(
  file: OpenFile,
  range: LineSelection,
  signal: AbortSignal,
): Promise<ToolResult> {
  const sample = await readStart(file.handle, Math.min(SAMPLE, Math.max(file.size, 4_096)))
  const encoding = detectEncoding(sample, file.size <= sample.length)
  if (!encoding) {
    const picture = await readPicture(file, sample)
    if (picture) return picture
    throw new AppError('tool.refused', `"${range.path}" is binary (${file.size} bytes).`, {
      hint: 'Look at it with a command such as file, xxd | head or unzip -l, or send it to the chat.',
    })
  }
  const last = Math.min(range.end_line ?? Number.MAX_SAFE_INTEGER, range.start_line + MOST_LINES - 1)
  const window = encoding.name.startsWith('utf-16')
    ? await scanUtf16(file, encoding, range.start_line, last)
    : await scanLines(
        file.handle,
        { first: range.start_line, last, skip: encoding.bom, size: file.size },
        signal,
      )
  return present(window, encoding, range)
}

async function readStart(handle: FileHandle, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await handle.read(buffer, 0, length, 0)
  return buffer.subarray(0, bytesRead)
}

async function scanUtf16(
  file: OpenFile,
  encoding: Encoding,
  first: number,
  last: number,
): Promise<LineWindow> {
  if (file.size > UTF16_BYTES) {
    throw new AppError('tool.limit', `The file is UTF-16 and larger than ${UTF16_BYTES >> 20} MB.`, {
      hint: 'Convert it first: iconv -f utf-16 -t utf-8.',
    })
  }
  const text = decodeWhole(await readStart(file.handle, file.size), encoding)
  if (text === undefined)
    throw new AppError('tool.refused', 'The file is damaged UTF-16.', { hint: 'Convert it first.' })
  const all = text.split('\n')
  if (all.at(-1) === '') all.pop()
  const lines = all.slice(first - 1, last).map((line) => Buffer.from(line))
  return { lines, decoded: true, total: all.length, remainingBytes: 0 }
}

function present(window: LineWindow, encoding: Encoding, range: LineSelection): ToolResult {
  const decoder = new TextDecoder(window.decoded ? 'utf-8' : encoding.name)
  const shown: string[] = []
  let characters = 0
  for (const [index, bytes] of window.lines.entries()) {
    const number = range.line_numbers ? `${range.start_line + index}: ` : ''
    const line = `${number}${cutLine(decoder.decode(bytes).replace(/\r$/, ''))}`
    if (characters + line.length > MOST_CHARACTERS && shown.length > 0) break
    shown.push(line)
    characters += line.length + 1
  }
  const end = range.start_line + shown.length - 1
  const notes = [
    ...(encoding.name === 'utf-8' && encoding.bom === 0 ? [] : [`encoding: ${encodingName(encoding)}`]),
    ...rest(window, range, end, shown.length),
  ]
  const text = [...shown, ...(notes.length > 0 ? [`(${notes.join('; ')})`] : [])].join('\n')
  const total = window.total
  const more = total === undefined || end < total
  return {
    ok: true,
    text,
    ...(total !== undefined && more ? { truncated: { total, returned: shown.length, next: end + 1 } } : {}),
  }
}

function rest(window: LineWindow, range: LineSelection, end: number, count: number): string[] {
  const { total } = window
  if (total === 0) return ['the file is empty']
  if (count === 0) return [`the file has ${total ?? 'fewer'} lines; there is no line ${range.start_line}`]
  if (total !== undefined && end >= total)
    return range.start_line === 1 ? [] : [`end of file, ${total} lines in total`]
  if (total !== undefined) {
    return [
      `lines ${range.start_line}–${end} of ${total}; ${total - end} lines remain, go on with start_line ${end + 1}`,
    ]
  }
  const megabytes = Math.max(1, Math.round(window.remainingBytes / 1024 / 1024))
  return [
    `lines ${range.start_line}–${end}; about ${megabytes} MB remain uncounted, go on with start_line ${end + 1}`,
  ]
}

function cutLine(line: string): string {
  if (line.length <= LINE_CHARACTERS) return line
  const end = wholeEnd(line, LINE_CHARACTERS)
  return `${line.slice(0, end)}… (${line.length - end} more characters in this line)`
}
