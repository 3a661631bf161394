/**
 * Searching without ripgrep: slower, literal only. A regular expression of a stranger must not run in the
 * service's own engine, which has no time limit.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, matchesGlob, relative } from 'node:path'
import { AppError } from '../../protocol/errors.ts'

const MOST_FILES = 50_000
const FILE_BYTES = 2 * 1024 * 1024
const SKIPPED = new Set(['.git', 'node_modules'])

/** Regular files below `folder`, relative, links not followed; `complete` is false past 50,000. */
export async function walkFiles(
  folder: string,
  glob: string | undefined,
  signal: AbortSignal,
): Promise<{ files: string[]; complete: boolean }> {
  const files: string[] = []
  const queue = [folder]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const parent = next
    signal.throwIfAborted()
    for (const entry of await readdir(parent, { withFileTypes: true })) {
      const path = join(parent, entry.name)
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) queue.push(path)
      if (!entry.isFile()) continue
      const name = relative(folder, path)
      if (glob !== undefined && !matches(name, glob)) continue
      if (files.length >= MOST_FILES) return { files, complete: false }
      files.push(name)
    }
  }
  return { files, complete: true }
}

/** A glob without a slash matches at any depth, and hidden names match like others, as with ripgrep. */
function matches(name: string, glob: string): boolean {
  const positive = glob.replace(/^!/, '').replace(/^\//, '')
  const pattern = positive.includes('/') ? positive : `**/${positive}`
  const hit = matchesGlob(unhide(name), unhide(pattern))
  return glob.startsWith('!') ? !hit : hit
}

/** Node's globs skip names that begin with a dot, so none does while they are compared. */
const unhide = (path: string): string => path.replace(/(^|\/)\./g, '$1\u0001')

export interface LiteralSearch {
  readonly pattern: string
  readonly ignoreCase: boolean
  readonly glob: string | undefined
}

/** Hands every matching line to `take`; `complete` is false when files were left out. */
export async function searchLiteral(
  folder: string,
  search: LiteralSearch,
  take: (hit: { path: string; line: number; text: string }) => void,
  signal: AbortSignal,
): Promise<{ complete: boolean }> {
  const fold = (text: string): string => (search.ignoreCase ? text.toLowerCase() : text)
  const wanted = fold(search.pattern)
  const { files, complete } = await walkFiles(folder, search.glob, signal)
  let skipped = false
  for (const path of files) {
    signal.throwIfAborted()
    if ((await stat(join(folder, path))).size > FILE_BYTES) {
      skipped = true
      continue
    }
    const text = await readFile(join(folder, path), 'utf8')
    if (text.slice(0, 8_192).includes('\0') || !fold(text).includes(wanted)) continue
    for (const [index, line] of text.split('\n').entries()) {
      if (fold(line).includes(wanted)) take({ path, line: index + 1, text: line })
    }
  }
  return { complete: complete && !skipped }
}

export function regexNeedsRipgrep(): AppError {
  return new AppError('tool.unavailable', 'Regular expressions need ripgrep, which is not installed.', {
    hint: 'Use mode "literal", or ask the operator to install ripgrep.',
  })
}
