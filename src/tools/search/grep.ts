import { stat } from 'node:fs/promises'
import { basename, dirname, relative } from 'node:path'
import { z } from 'zod'
import { type AnyTool, defineTool, type ToolContext, type ToolResult } from '../../protocol/tool.ts'
import { asResult } from '../failure.ts'
import { bindPaths } from '../files/bind-paths.ts'
import { wholeEnd } from '../model-copy.ts'
import { oneLine } from '../one-line.ts'
import { existingPath, openForReading, type Territory } from '../workspace-path.ts'
import { regexNeedsRipgrep, searchLiteral } from './fallback.ts'
import { page } from './page.ts'
import { commonArguments, runRipgrep } from './ripgrep.ts'

const LINE_CHARACTERS = 300
/** Matches kept for paging; further ones are only counted. */
const KEPT = 20_000

const input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(1_000)
    .describe('What to look for; read as mode says.')
    .meta({ examples: ['TODO'] }),
  path: z
    .string()
    .default('.')
    .describe('File or folder relative to the workspace, or an "output:…" name. Default: the workspace.')
    .meta({ examples: ['src'] }),
  glob: z
    .string()
    .min(1)
    .optional()
    .describe('Only files that match, for example *.ts or !*.min.js.')
    .meta({ examples: ['*.ts'] }),
  mode: z
    .enum(['literal', 'regex'])
    .default('literal')
    .describe(
      'literal: the exact characters. regex: a regular expression of ripgrep (no look-around). Default literal.',
    ),
  ignore_case: z.boolean().default(false).describe('Match upper and lower case alike. Default false.'),
  files_only: z.boolean().default(false).describe('List only the files that match; costs far less context.'),
  include_ignored: z
    .boolean()
    .default(false)
    .describe('Also search what .gitignore leaves out. Default false.'),
  max_results: z
    .int()
    .min(1)
    .max(500)
    .default(50)
    .describe('At most this many results. Default 50; more cost context.'),
  offset: z.int().min(0).default(0).describe('Skip this many results, to go on with a longer list.'),
})

type Arguments = z.output<typeof input>

/** The tool with ripgrep at `program`, or with the slower search of our own when there is none. */
export function createGrep(program: string | undefined): AnyTool {
  return defineTool({
    name: 'grep',
    description:
      'Searches the content of text files (UTF-8, UTF-16) and gives path:line: text. To find files by name, use glob; to read around a match, read_file.',
    input,
    readOnly: true,
    risk: 'read',
    title: (args, text) => text('tools.grep.title', { pattern: oneLine(args.pattern) }),
    bind: (args, ctx) => bindPaths('grep', args, ctx.workspace, [args.path]),
    run: (args, ctx, signal) => asResult(() => search(program, args, ctx, signal)),
  })
}

interface Hit {
  readonly path: string
  readonly line: number
  readonly text: string
}

async function search(
  program: string | undefined,
  args: Arguments,
  ctx: ToolContext,
  signal: AbortSignal,
): Promise<ToolResult> {
  const scope = await scopeOf(ctx, args.path)
  const hits: Hit[] = []
  const files = new Set<string>()
  let total = 0
  const take = (hit: Hit): void => {
    total++
    files.add(hit.path)
    if (hits.length < KEPT && !args.files_only) hits.push(hit)
  }
  const { complete } = program
    ? await searchFast(program, args, scope, take, ctx, signal)
    : await searchSlowly(args, scope, take, signal)
  const shown = (path: string): string => scope.label(path)
  if (args.files_only) {
    const items = [...files].sort().map(shown)
    return page({ noun: 'files', items, total: items.length, complete }, args.offset, args.max_results)
  }
  hits.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1))
  const items = hits.map((hit) => `${shown(hit.path)}:${hit.line}: ${cut(hit.text)}`)
  return page({ noun: 'matches', items, total, complete }, args.offset, args.max_results)
}

interface Scope {
  readonly folder: string
  /** A single file in `folder`; the whole folder when absent. */
  readonly file?: string
  label(path: string): string
}

/** Where to search; a single file is proven to be a regular one first. */
async function scopeOf(territory: Territory, name: string): Promise<Scope> {
  if (!name.startsWith('output:')) {
    const path = await existingPath(territory.workspace, name)
    if ((await stat(path)).isDirectory()) {
      const prefix = relative(territory.workspace, path)
      return { folder: path, label: (file) => (prefix === '' ? file : `${prefix}/${file}`) }
    }
  }
  const file = await openForReading(territory, name)
  await file.handle.close()
  return { folder: dirname(file.path), file: basename(file.path), label: () => name }
}

function searchFast(
  program: string,
  args: Arguments,
  scope: Scope,
  take: (hit: Hit) => void,
  ctx: ToolContext,
  signal: AbortSignal,
): Promise<{ complete: boolean }> {
  const flags = [
    ...commonArguments(args.include_ignored || scope.file !== undefined),
    ...(args.mode === 'literal' ? ['--fixed-strings'] : []),
    ...(args.ignore_case ? ['--ignore-case'] : []),
    ...(args.glob === undefined ? [] : [`--glob=${args.glob}`]),
    '--glob=!.git',
    ...(args.files_only
      ? ['--files-with-matches', '--null']
      : [
          '--line-number',
          '--with-filename',
          '--no-heading',
          '--null',
          '--max-columns=2000',
          '--max-columns-preview',
        ]),
    `--regexp=${args.pattern}`,
    '--',
    scope.file === undefined ? '.' : `./${scope.file}`,
  ]
  const where = { folder: scope.folder, separator: args.files_only ? '\0' : '\n' }
  const read = (record: string): void => {
    if (args.files_only) {
      take({ path: bare(record), line: 0, text: '' })
      return
    }
    const match = /^([^\0]+)\0(\d+):(.*)$/s.exec(record)
    if (match) take({ path: bare(match[1] ?? ''), line: Number(match[2]), text: match[3] ?? '' })
  }
  return runRipgrep(program, flags, where, read, ctx, signal)
}

const bare = (path: string): string => path.replace(/^\.\//, '')

async function searchSlowly(
  args: Arguments,
  scope: Scope,
  take: (hit: Hit) => void,
  signal: AbortSignal,
): Promise<{ complete: boolean }> {
  if (args.mode === 'regex') throw regexNeedsRipgrep()
  const only = scope.file === undefined ? take : (hit: Hit) => hit.path === scope.file && take(hit)
  const { pattern, glob, ignore_case: ignoreCase } = args
  return await searchLiteral(scope.folder, { pattern, ignoreCase, glob: scope.file ?? glob }, only, signal)
}

function cut(line: string): string {
  const text = line.replace(/\r$/, '')
  return text.length <= LINE_CHARACTERS ? text : `${text.slice(0, wholeEnd(text, LINE_CHARACTERS))}…`
}
