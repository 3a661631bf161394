import { join } from 'node:path'
import { z } from 'zod'
import { AppError } from '../../protocol/errors.ts'
import { defineTool, type ToolContext, type ToolResult, toolError } from '../../protocol/tool.ts'
import { shellQuote } from '../../sandbox/shell-quote.ts'
import { asResult } from '../failure.ts'
import { bindPaths } from '../files/bind-paths.ts'
import { createOutputFolder, cutMiddle, outputFile } from '../model-copy.ts'
import { existingPath } from '../workspace-path.ts'

const TIME_MS = 30_000
const OUTPUT_BYTES = 64_000

/**
 * A repository is a stranger's: its configuration can name programs for hooks, file watching, diffing and
 * filtering. The first three are switched off here; the last cannot be, so git runs in the sandbox.
 */
const SAFE = [
  ...['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'core.pager=cat'],
  ...['-c', 'diff.external=', '-c', 'protocol.allow=never', '-c', 'safe.directory=*'],
  ...['-c', 'safe.bareRepository=explicit', '--no-pager'],
]

export const gitDiffTool = defineTool({
  name: 'git_diff',
  description:
    'Shows changes in a git repository of the workspace as a unified diff: of the working tree against a commit, or of what is staged. Changes nothing.',
  input: z.strictObject({
    repository: z
      .string()
      .default('.')
      .describe('Folder of the repository relative to the workspace. Default: the workspace.')
      .meta({ examples: ['.'] }),
    file: z
      .string()
      .min(1)
      .optional()
      .describe('Only this file or folder, relative to the repository.')
      .meta({ examples: ['src/main.ts'] }),
    ref: z
      .string()
      .regex(/^[\w][\w./~^@{}-]*$/, 'a branch, tag or commit such as HEAD~1 or main')
      .max(200)
      .default('HEAD')
      .describe('Commit to compare with. Default HEAD.')
      .meta({ examples: ['HEAD~1'] }),
    cached: z
      .boolean()
      .default(false)
      .describe('Show what is staged instead of the working tree. Default false.'),
  }),
  readOnly: true,
  risk: 'read',
  title: (args, text) => text('tools.git_diff.title', { what: args.file ?? args.ref }),
  bind: (args, ctx) => bindPaths('git_diff', args, ctx.workspace, [args.repository]),
  run: (args, ctx, signal) => asResult(() => diff(args, ctx, signal)),
})

interface Arguments {
  readonly repository: string
  readonly file?: string | undefined
  readonly ref: string
  readonly cached: boolean
}

async function diff(args: Arguments, ctx: ToolContext, signal: AbortSignal): Promise<ToolResult> {
  const cwd = await existingPath(ctx.workspace, args.repository)
  if (args.file !== undefined) await existingOrGone(ctx.workspace, join(args.repository, args.file))
  const argv = [
    ...['git', ...SAFE, 'diff', '--no-color', '--no-ext-diff', '--no-textconv', '--submodule=short'],
    ...(args.cached ? ['--cached'] : []),
    ...['--end-of-options', args.ref, '--', ...(args.file === undefined ? [] : [args.file])],
  ]
  createOutputFolder(ctx.privateDir)
  const log = outputFile(ctx.privateDir, ctx.callId, 'log')
  const result = await ctx.sandbox.run(
    {
      command: argv.map(shellQuote).join(' '),
      ...{ cwd, workspace: ctx.workspace, env: {}, timeoutMs: TIME_MS, outputBytes: OUTPUT_BYTES },
      logPath: log.path,
      statusPath: outputFile(ctx.privateDir, ctx.callId, 'json').path,
    },
    signal,
  )
  if (result.exitCode !== 0) {
    // Outside of a repository git compares two files instead, and complains about those.
    if (/Could not access|not a git repository/i.test(result.output)) {
      return toolError(
        'not_found',
        `"${args.repository}" is not in a git repository.`,
        'Name the folder of a repository in "repository"; list_directory shows what there is.',
      )
    }
    return toolError(
      result.ended === 'exit' ? 'failed' : result.ended,
      result.output.trim() || `git ended: ${result.ended}`,
      'Check that the folder is a git repository and that the commit exists.',
    )
  }
  const text = cutMiddle(result.output.trimEnd(), `the whole diff is in "${log.name}" for read_file and grep`)
  return { ok: true, text: text === '' ? '(no change)' : text }
}

/** A deleted file may be asked for, one outside may not. */
async function existingOrGone(workspace: string, name: string): Promise<void> {
  try {
    await existingPath(workspace, name)
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'tool.not_found')) throw error
  }
}
