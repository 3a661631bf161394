/**
 * What a shell command is, before anybody runs it. Two parsers that nobody here wrote must agree that
 * it is one program with literal words; anything else is complex, and complex commands are never
 * allowed without a person. It knows text only: it runs nothing and reads no file.
 */
import { type Finding, finding, rankFindings } from '../finding.ts'
import * as programs from './programs.ts'
import { assess, isBlocking, isOutside, programName } from './risks.ts'
import { loadTreeSitter, type ReadSimple } from './tree-sitter.ts'
import { type Invocation, readWithUnbash, type ShellReading, type ShellWord } from './unbash.ts'
import { firstHidden, firstLookalike } from './visible-text.ts'
import type { Place } from './wipe.ts'
import { isShell, unwrap } from './wrappers.ts'

/** What rules and people are told about a command; when in doubt, the stricter of two readings. */
export interface CommandAnalysis {
  /** `simple`: a rule may allow it. `complex`: a person is asked, always. */
  readonly verdict: 'simple' | 'complex'
  /** Words of a simple command, transparent wrappers taken off; empty when complex. */
  readonly argv: readonly string[]
  /** Every program found anywhere in it, wrapped ones too, for rules that deny. */
  readonly programs: readonly (readonly string[])[]
  /** Worst first. */
  readonly findings: readonly Finding[]
  /** A simple command that only looks: what a rule may still allow in a tainted session. */
  readonly readsOnly: boolean
  /** True when "for this session" may be offered. */
  readonly grantable: boolean
}

/** Kept by the caller: its grammar is loaded once. */
export interface CommandAnalyser {
  /** Never rejects for the command's content; the first call loads a grammar. */
  analyse(command: string, place: Place): Promise<CommandAnalysis>
}

/** Longer commands are always complex; characters. */
const MAX_SIMPLE_CHARS = 10_000
/** Longer commands are not parsed at all. */
const MAX_PARSED_CHARS = 100_000
const MAX_PROGRAMS = 50
/** Layers of wrappers, and inline scripts read in one command. */
const MAX_DEPTH = 10
const MAX_SCRIPTS = 50

/** Loads its grammar with the first command. */
export function createCommandAnalyser(): CommandAnalyser {
  let loading: Promise<ReadSimple> | undefined
  return {
    analyse: async (command, place) => {
      loading ??= loadTreeSitter()
      return analyseWith(await loading, command, place)
    },
  }
}

function analyseWith(readSimple: ReadSimple, command: string, place: Place): CommandAnalysis {
  const reading = command.length <= MAX_PARSED_CHARS ? readWithUnbash(command) : undefined
  const budget = { scripts: MAX_SCRIPTS, exceeded: false }
  const invocations = reading ? expand(reading.invocations, budget, 0) : []
  const found = [
    ...assessText(command, budget.exceeded ? undefined : reading, invocations.length),
    ...invocations.flatMap((one) => assess(one, place)),
    ...assessWrites(reading, place),
    ...assessTogether(invocations),
  ]
  const argv = found.some(isTextual) ? undefined : agreedArgv(readSimple, command, reading)
  const inner = argv && unwrapTransparent(argv)
  if (argv && !inner) found.push(finding('wrapper', 'info', { program: argv[0] ?? '' }))
  const simple = inner !== undefined && !found.some(isBlocking)
  const findings = rankFindings(found)
  const plain = simple && findings.length === 0
  return {
    verdict: simple ? 'simple' : 'complex',
    argv: simple ? inner : [],
    programs: invocations
      .map((one) => one.words.map((word) => word.value))
      .filter((words) => words.length > 0),
    findings,
    // Nothing noticed and nothing wrapped: only then may one click stand for later ones.
    grantable: plain && inner.length === argv?.length,
    readsOnly: plain && onlyReads(inner),
  }
}

function onlyReads([program = '', first = '']: readonly string[]): boolean {
  return program === 'git' ? programs.GIT_READERS.has(first) : programs.READERS.has(program)
}

/** Findings about the text as such; any of them makes a command complex. */
function assessText(command: string, reading: ShellReading | undefined, count: number): Finding[] {
  const found: Finding[] = []
  const hidden = firstHidden(command)
  const lookalike = firstLookalike(command)
  if (hidden !== undefined) found.push(finding('hidden', 'danger', { char: hidden }))
  if (lookalike !== undefined) found.push(finding('lookalike', 'danger', { word: lookalike }))
  if (command.length > MAX_SIMPLE_CHARS) found.push(finding('long', 'warning', { chars: command.length }))
  if (!reading) found.push(finding('unreadable', 'warning'))
  if (count > MAX_PROGRAMS) found.push(finding('many', 'warning', { count }))
  for (const construct of reading?.constructs ?? []) found.push(finding(construct, 'info'))
  return found
}

const TEXTUAL: ReadonlySet<string> = new Set(['hidden', 'lookalike', 'long', 'unreadable', 'many'])

function isTextual(found: Finding): boolean {
  return TEXTUAL.has(found.code)
}

function agreedArgv(
  readSimple: ReadSimple,
  command: string,
  reading: ShellReading | undefined,
): readonly string[] | undefined {
  if (!reading?.argv || reading.constructs.size > 0) return undefined
  const other = readSimple(command)
  const agree = other?.length === reading.argv.length && other.every((word, i) => word === reading.argv?.[i])
  return agree && reading.argv[0] !== '' ? reading.argv : undefined
}

/** Takes transparent wrappers off; undefined when another wrapper stays. */
function unwrapTransparent(argv: readonly string[]): readonly string[] | undefined {
  let words: readonly ShellWord[] = argv.map((value) => ({ value, literal: true }))
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const layer = unwrap(programName(words), words)
    if (!layer) return words.map((word) => word.value)
    if (layer.kind !== 'words' || !layer.transparent || layer.words.length === 0) return undefined
    words = layer.words
  }
  return undefined
}

interface Budget {
  scripts: number
  exceeded: boolean
}

/** Every invocation and, below wrappers and inline scripts, the invocations inside, within a budget. */
function expand(invocations: readonly Invocation[], budget: Budget, depth: number): Invocation[] {
  return invocations.flatMap((one) => [one, ...expand(inside(one, budget, depth), budget, depth + 1)])
}

function inside(one: Invocation, budget: Budget, depth: number): readonly Invocation[] {
  const layer = one.words.length > 0 ? unwrap(programName(one.words), one.words) : undefined
  if (!layer || layer.kind === 'opaque') return []
  if (depth >= MAX_DEPTH || (layer.kind === 'script' && budget.scripts <= 0)) {
    budget.exceeded = true
    return []
  }
  if (layer.kind === 'words') return [{ words: layer.words, env: layer.env }]
  budget.scripts--
  return readWithUnbash(layer.script)?.invocations ?? []
}

function assessWrites(reading: ShellReading | undefined, place: Place): Finding[] {
  return (reading?.writes ?? []).flatMap(({ value }) => {
    if (/^\/dev\/(tcp|udp)\//.test(value)) return [finding('network', 'danger', { program: value })]
    return isOutside(value, place) ? [finding('outside', 'danger', { path: value })] : []
  })
}

/** Something fetched, and something that would run it, in one command. */
function assessTogether(invocations: readonly Invocation[]): Finding[] {
  const names = invocations.map((one) => programName(one.words))
  const fetches = names.find((name) => programs.DOWNLOADERS.has(name))
  const runs = names.find(
    (name) => isShell(name) || programs.INTERPRETERS.has(name) || name === 'source' || name === '.',
  )
  return fetches !== undefined && runs !== undefined
    ? [finding('network_code', 'danger', { fetches, runs })]
    : []
}
