/** Recursive deletions that nobody means: the root, a home, the folder one stands in, the workspace. */
import { posix } from 'node:path'
import type { ShellWord } from './unbash.ts'

export interface Place {
  /** Real paths. HOME is the workspace inside the sandbox. */
  readonly cwd: string
  readonly workspace: string
}

const HOME = /^(~[^/]*|\$\{?HOME\}?)(?=\/|$)/
const HERE = /^\$\{?PWD\}?(?=\/|$)/

/** The word that makes `rm` wipe a root, as it was written; undefined when there is none. */
export function wipedRoot(words: readonly ShellWord[], place: Place): string | undefined {
  const args = words.slice(1).map((word) => word.value)
  if (args.some((arg) => /^--no-pres/.test(arg))) return '--no-preserve-root'
  const end = args.indexOf('--')
  const options = (end < 0 ? args : args.slice(0, end)).filter((arg) => arg.startsWith('-'))
  if (!options.some((arg) => /^-[A-Za-z]*[rR]/.test(arg) || /^--rec/.test(arg))) return undefined
  const targets = args.filter((arg, i) => (end >= 0 && i > end) || !arg.startsWith('-'))
  return targets.find((target) => wipes(target, place))
}

function wipes(target: string, { cwd, workspace }: Place): boolean {
  const everything = /\/(\*|\.\*|\.\[!\.\]\*|\{.*\})$/.exec(target)
  const base = everything ? target.slice(0, everything.index) || '/' : target
  const path = posix.resolve(cwd, base.replace(HOME, workspace).replace(HERE, cwd))
  const named = HOME.test(base) || path === '/'
  // `rm -rf ./*` in the workspace is a request to tidy up; it asks, as every command does.
  if (everything) return named || isAbove(path, workspace)
  return path === workspace || path === cwd || isAbove(path, workspace) || isAbove(path, cwd)
}

function isAbove(path: string, below: string): boolean {
  return path === '/' || below.startsWith(`${path}/`)
}
