/** What one program with its arguments may do, told as findings. */
import { posix } from 'node:path'
import { type Finding, finding } from '../finding.ts'
import { forbiddenVariable } from './environment.ts'
import { type GitReading, readGit } from './git.ts'
import * as programs from './programs.ts'
import type { Invocation, ShellWord } from './unbash.ts'
import { type Place, wipedRoot } from './wipe.ts'
import { isShell } from './wrappers.ts'

/** Findings that make a command one that no rule and no grant can allow. */
const BLOCKING: ReadonlySet<string> = new Set([
  'shell',
  'interpreter',
  'inline_code',
  'launcher',
  'builtin',
  'option',
  'local_program',
  'privilege',
  'wrapper',
  'environment',
  'wipe',
])

/** Folders whose programs are the machine's own. */
const TRUSTED = /^\/(usr\/(local\/)?)?s?bin\/[^/]+$/

/** True when a finding of a command rules out any automatic permission. */
export function isBlocking(found: Finding): boolean {
  return BLOCKING.has(found.code)
}

/** Name that the tables know a program by. */
export function programName(words: readonly ShellWord[]): string {
  return posix.basename(words[0]?.value ?? '')
}

/** Everything worth telling about one program; an unknown program yields nothing. */
export function assess(invocation: Invocation, place: Place): Finding[] {
  const { words, env } = invocation
  const program = programName(words)
  const args = words.slice(1).map((word) => word.value)
  const variable = forbiddenVariable(env)
  return [
    ...(variable === undefined ? [] : [finding('environment', 'danger', { name: variable })]),
    ...assessStart(words, program, args),
    ...assessEffect(words, program, args, place),
    ...(program === 'git' ? assessGit(readGit(args)) : []),
  ]
}

/** What the program starts or evaluates. */
function assessStart(words: readonly ShellWord[], program: string, args: readonly string[]): Finding[] {
  const found: Finding[] = []
  const path = words[0]?.value ?? ''
  const bare = program.replace(/[\d.-]+$/, '')
  const known = (names: ReadonlySet<string>): boolean => names.has(program) || names.has(bare)
  if (path.includes('/') && !TRUSTED.test(path))
    found.push(finding('local_program', 'warning', { program: path }))
  if (isShell(program)) found.push(finding('shell', 'warning', { program }))
  if (known(programs.INTERPRETERS)) {
    const inline = programs.hasInlineCode(args)
    found.push(finding(inline ? 'inline_code' : 'interpreter', 'warning', { program }))
  }
  if (known(programs.LAUNCHERS)) found.push(finding('launcher', 'info', { program }))
  if (programs.BUILTINS.has(program) || (program === 'printf' && args.some((arg) => arg.startsWith('-v')))) {
    found.push(finding('builtin', 'info', { program }))
  }
  const option = programs.hazardousOption(program, args)
  if (option !== undefined) found.push(finding('option', 'warning', { program, option }))
  return found
}

/** What the program changes or reaches. */
function assessEffect(
  words: readonly ShellWord[],
  program: string,
  args: readonly string[],
  place: Place,
): Finding[] {
  const found: Finding[] = []
  if (program === 'rm') {
    const target = wipedRoot(words, place)
    if (target !== undefined) found.push(finding('wipe', 'danger', { target }))
  }
  const recursive = args.some(
    (arg) => /^-[A-Za-z]*[rRf]/.test(arg) || arg === '--recursive' || arg === '--force',
  )
  if (programs.DELETERS.has(program))
    found.push(finding('deletes', recursive ? 'danger' : 'warning', { program }))
  if (program === 'find' && args.includes('-delete'))
    found.push(finding('deletes', 'danger', { program: 'find -delete' }))
  if (programs.NETWORK.has(program)) found.push(finding('network', 'warning', { program }))
  if (programs.PRIVILEGE.has(program)) found.push(finding('privilege', 'danger', { program }))
  if (programs.PERMISSIONS.has(program)) found.push(finding('permissions', 'warning', { program }))
  if (programs.PROCESSES.has(program)) found.push(finding('processes', 'warning', { program }))
  if (programs.DISKS.has(program) || program.startsWith('mkfs.'))
    found.push(finding('disk', 'danger', { program }))
  if (programs.installsPackages(program, args)) found.push(finding('packages', 'warning', { program }))
  if (programs.WRITERS.has(program)) {
    const outside = args.find((arg) => isOutside(arg, place))
    if (outside !== undefined) found.push(finding('outside', 'danger', { path: outside }))
  }
  return found
}

function assessGit(git: GitReading): Finding[] {
  const found: Finding[] = []
  if (git.launches !== undefined)
    found.push(finding('option', 'info', { program: 'git', option: git.launches }))
  if (git.network) found.push(finding('network', 'warning', { program: `git ${git.subcommand}` }))
  if (git.rewrites) found.push(finding('history', 'danger', { command: `git ${git.subcommand}` }))
  return found
}

/** True for a path as written that leaves the workspace; `/tmp` and `/dev/null` are the sandbox's own. */
export function isOutside(path: string, { cwd, workspace }: Place): boolean {
  if (!/^(\/|~|\.\.)|\/\.\.(\/|$)/.test(path)) return false
  if (path.startsWith('~')) return !/^~(\/|$)/.test(path)
  const real = posix.resolve(cwd, path)
  return !(
    real === workspace ||
    real.startsWith(`${workspace}/`) ||
    /^\/(tmp(\/|$)|dev\/(null|stdout|stderr)$)/.test(real)
  )
}
