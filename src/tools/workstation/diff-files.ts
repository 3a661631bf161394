import { z } from 'zod'
import { defineTool, type ToolContext, type ToolResult, toolError } from '../../protocol/tool.ts'
import { shellQuote } from '../../sandbox/shell-quote.ts'
import { asResult } from '../failure.ts'
import { bindPaths } from '../files/bind-paths.ts'
import { detectEncoding } from '../files/encoding.ts'
import { createOutputFolder, cutMiddle, outputFile } from '../model-copy.ts'
import { oneLine } from '../one-line.ts'
import { openForReading, refused } from '../workspace-path.ts'

const TIME_MS = 30_000
const OUTPUT_BYTES = 64_000
const SAMPLE_BYTES = 64 * 1024

const input = z.strictObject({
  before: z
    .string()
    .min(1)
    .describe('The old file, relative to the workspace or absolute inside it.')
    .meta({ examples: ['config.old.yaml'] }),
  after: z
    .string()
    .min(1)
    .describe('The new file.')
    .meta({ examples: ['config.yaml'] }),
  context: z
    .int()
    .min(0)
    .max(20)
    .default(3)
    .describe('Unchanged lines around each change. Default 3; more cost context.'),
  ignore_space: z.boolean().default(false).describe('Leave out changes of white space only. Default false.'),
})

type Arguments = z.output<typeof input>

/** What two files of the workspace differ in. The comparison itself runs in the sandbox, within its limits. */
export const diffFilesTool = defineTool({
  name: 'diff_files',
  description:
    'Compares two files of the workspace as a unified diff; says so when they are the same. ' +
    'Against a commit of a git repository: git_diff. One file alone: read_file.',
  input,
  readOnly: true,
  risk: 'read',
  title: (args, text) =>
    text('tools.diff_files.title', { before: oneLine(args.before), after: oneLine(args.after) }),
  bind: (args, ctx) => bindPaths('diff_files', args, ctx.workspace, [args.before, args.after]),
  run: (args, ctx, signal) => asResult(() => diff(args, ctx, signal)),
})

async function diff(args: Arguments, ctx: ToolContext, signal: AbortSignal): Promise<ToolResult> {
  const before = await readable(args.before, ctx)
  const after = await readable(args.after, ctx)
  const command = [
    ...['diff', '--text', `--unified=${args.context}`, ...(args.ignore_space ? ['--ignore-all-space'] : [])],
    ...['--label', shellQuote(args.before), '--label', shellQuote(args.after), before, after],
  ].join(' ')
  createOutputFolder(ctx.privateDir)
  const log = outputFile(ctx.privateDir, ctx.callId, 'log')
  const result = await ctx.sandbox.run(
    {
      command,
      ...{ cwd: ctx.workspace, workspace: ctx.workspace, env: {} },
      ...{ timeoutMs: TIME_MS, outputBytes: OUTPUT_BYTES },
      logPath: log.path,
      statusPath: outputFile(ctx.privateDir, ctx.callId, 'json').path,
    },
    signal,
  )
  // 0: the same, 1: different, more: trouble.
  if (result.exitCode === 0) return { ok: true, text: 'The files are the same.' }
  if (result.exitCode !== 1) {
    return toolError(
      result.ended === 'exit' ? 'failed' : result.ended,
      result.output.trim() || `diff ended: ${result.ended}`,
      'Compare smaller files, or parts of them with read_file.',
    )
  }
  return {
    ok: true,
    text: cutMiddle(result.output.trimEnd(), `the whole diff is in "${log.name}" for read_file and grep`),
  }
}

/** A file as an argument of the comparison: proven to be a regular one, and turned into UTF-8. */
async function readable(name: string, ctx: ToolContext): Promise<string> {
  if (name.startsWith('output:'))
    throw refused('Kept outputs cannot be compared.', 'Write both texts to files of the workspace first.')
  const file = await openForReading(ctx, name)
  try {
    const sample = Buffer.alloc(Math.min(SAMPLE_BYTES, file.size))
    const { bytesRead } = await file.handle.read(sample, 0, sample.length, 0)
    const encoding = detectEncoding(sample.subarray(0, bytesRead), bytesRead === file.size)
    if (!encoding || encoding.name === 'utf-8') return shellQuote(file.path)
    return `<(iconv -c -f ${encoding.name} -t utf-8 ${shellQuote(file.path)})`
  } finally {
    await file.handle.close()
  }
}
