/**
 * Programs that run the program named in their arguments. The inner program is what rules and grants
 * are about; a wrapper whose options are not understood is opaque, and then a person is asked.
 */
import type { ShellWord } from './unbash.ts'

export type Unwrapped =
  /** `transparent`: adds nothing but a limit or a priority, so the inner program alone is judged. */
  | {
      readonly kind: 'words'
      readonly words: readonly ShellWord[]
      readonly env: readonly string[]
      readonly transparent: boolean
    }
  | { readonly kind: 'script'; readonly script: string }
  | { readonly kind: 'opaque' }

interface Wrapper {
  /** Options that take the next word as their value. */
  readonly values: readonly string[]
  /** Options without a value. */
  readonly flags?: RegExp
  /** Words of its own before the inner program. */
  readonly own?: number
  readonly transparent?: boolean
  /** Takes `NAME=value` words before the program. */
  readonly assigns?: boolean
  /** The rest is a script for a shell, not words. */
  readonly script?: boolean
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: {
    values: ['-u', '--unset', '-C', '--chdir'],
    flags: /^(-|-i|-0|--ignore-environment|--null)$/,
    assigns: true,
    transparent: true,
  },
  nice: { values: ['-n', '--adjustment'], flags: /^(-\d+|-n-?\d+|--adjustment=-?\d+)$/, transparent: true },
  ionice: {
    values: ['-c', '-n', '--class', '--classdata'],
    flags: /^(-c\d|-n\d|-t|--ignore)$/,
    transparent: true,
  },
  timeout: {
    values: ['-s', '-k', '--signal', '--kill-after'],
    flags: /^(-v|-p|-f|--verbose|--foreground|--preserve-status|--(signal|kill-after)=\w+|-[sk]\w+)$/,
    own: 1,
    transparent: true,
  },
  stdbuf: {
    values: ['-i', '-o', '-e'],
    flags: /^(-[ioe]\w+|--(input|output|error)=\w+)$/,
    transparent: true,
  },
  nohup: { values: [] },
  setsid: { values: [], flags: /^-[cfw]+$/ },
  time: { values: ['-f', '-o'], flags: /^-[apv]+$/ },
  sudo: {
    values: ['-u', '-g', '-h', '-p', '-C', '-D', '-R', '-T', '-r', '-t', '-U'],
    flags: /^-[AbEeHKknPSsVi]+$/,
    assigns: true,
  },
  doas: { values: ['-u', '-C'], flags: /^-[Lns]+$/ },
  xargs: {
    values: ['-I', '-n', '-P', '-L', '-d', '-s', '-E', '-a'],
    flags: /^(-[0rtpx]+|-[InPLdsEa].+|--(null|no-run-if-empty|verbose)|--[a-z-]+=.*)$/,
  },
  flock: { values: ['-w', '-E'], flags: /^-[senuxFov]+$/, own: 1 },
  watch: { values: ['-n', '-d'], flags: /^-[bcegtx]+$/, script: true },
  chroot: { values: [], flags: /^--[a-z-]+=.*$/, own: 1 },
  unshare: { values: ['-S', '-G', '-R', '-w'], flags: /^(-[a-zA-Z]+|--[a-z-]+(=.*)?)$/ },
  busybox: { values: [] },
  parallel: { values: ['-j', '-a', '-I'], flags: /^(-[0kuX]+|-j\d+)$/ },
  exec: { values: ['-a'], flags: /^-[cl]+$/ },
  command: { values: [], flags: /^-[pvV]+$/ },
  builtin: { values: [] },
  eval: { values: [], script: true },
}

const SHELLS: ReadonlySet<string> = new Set([
  'sh',
  'bash',
  'dash',
  'zsh',
  'ksh',
  'mksh',
  'ash',
  'fish',
  'rbash',
])
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)\+?=/

/** True for programs that read a script. */
export function isShell(program: string): boolean {
  return SHELLS.has(program)
}

/** Takes one layer off; undefined when the first word is no wrapper. */
export function unwrap(program: string, words: readonly ShellWord[]): Unwrapped | undefined {
  const rest = words.slice(1)
  if (SHELLS.has(program)) return unwrapShell(rest)
  if (program === 'find') return unwrapFind(rest)
  if (program === 'env' && rest.some((word) => /^(-[a-zA-Z0]*S|--split-string)/.test(word.value))) {
    return { kind: 'script', script: splitString(rest) }
  }
  if (
    program === 'script' ||
    program === 'su' ||
    (program === 'flock' && rest.some((w) => w.value === '-c'))
  ) {
    const at = rest.findIndex((word) => /^(-[a-z]*c|--command)$/.test(word.value))
    return at < 0 ? { kind: 'opaque' } : { kind: 'script', script: rest[at + 1]?.value ?? '' }
  }
  const wrapper = Object.hasOwn(WRAPPERS, program) ? WRAPPERS[program] : undefined
  return wrapper && unwrapWith(wrapper, rest)
}

function unwrapWith(wrapper: Wrapper, rest: readonly ShellWord[]): Unwrapped {
  const env: string[] = []
  let at = 0
  let plain = true
  for (; at < rest.length; at++) {
    const value = rest[at]?.value ?? ''
    const name = wrapper.assigns ? ASSIGNMENT.exec(value)?.[1] : undefined
    if (name !== undefined) env.push(name)
    else if (value === '--') {
      at++
      break
    } else if (wrapper.values.includes(value)) at++
    else if (wrapper.flags?.test(value)) plain = plain && wrapper.assigns !== true
    else if (value.startsWith('-')) return { kind: 'opaque' }
    else break
  }
  const words = rest.slice(at + (wrapper.own ?? 0))
  if (wrapper.script) return { kind: 'script', script: words.map((word) => word.value).join(' ') }
  const changesNothing = plain && env.length === 0 && !(wrapper.assigns === true && at > 0)
  return { kind: 'words', words, env, transparent: wrapper.transparent === true && changesNothing }
}

/** `sh -ceu 'script' name args`: any short option group with a `c` makes the next word a script. */
function unwrapShell(rest: readonly ShellWord[]): Unwrapped {
  let inline = false
  for (let at = 0; at < rest.length; at++) {
    const value = rest[at]?.value ?? ''
    if (/^[-+][A-Za-z]+$/.test(value)) {
      inline ||= value.startsWith('-') && value.includes('c')
      if (/[oO]$/.test(value)) at++
    } else if (value === '--rcfile' || value === '--init-file') at++
    else if (!value.startsWith('-')) return inline ? { kind: 'script', script: value } : { kind: 'opaque' }
  }
  return { kind: 'opaque' }
}

const FIND_RUNS: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir'])

function unwrapFind(rest: readonly ShellWord[]): Unwrapped | undefined {
  const at = rest.findIndex((word) => FIND_RUNS.has(word.value))
  if (at < 0) return undefined
  const tail = rest.slice(at + 1)
  const end = tail.findIndex((word) => word.value === ';' || word.value === '+')
  return { kind: 'words', words: end < 0 ? tail : tail.slice(0, end), env: [], transparent: false }
}

function splitString(rest: readonly ShellWord[]): string {
  return rest
    .map((word) => word.value.replace(/^(-[a-zA-Z0]*S|--split-string=?)/, ''))
    .join(' ')
    .trim()
}
