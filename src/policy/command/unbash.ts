/**
 * Second opinion on a command, and the only one that is asked about commands that are not simple:
 * every program in every substitution, list and function body, so that people are told what is in it.
 */
import { type Command, forEachChild, parse, type SyntaxNode, type Word, type WordPart } from 'unbash'
import { readBare } from './bare-word.ts'

/** A word as far as it is known before the shell runs. */
export interface ShellWord {
  /** Unquoted text; expansions stand in it as they were written. */
  readonly value: string
  /** True when nothing in it expands. */
  readonly literal: boolean
}

/** One program somewhere in a command. */
export interface Invocation {
  readonly words: readonly ShellWord[]
  /** Names of variables set in front of it. */
  readonly env: readonly string[]
}

export interface ShellReading {
  /** Words when the command is one program with literal words only. */
  readonly argv: readonly string[] | undefined
  readonly invocations: readonly Invocation[]
  /** Files that redirections write. */
  readonly writes: readonly ShellWord[]
  /** Codes of the constructs found: `list`, `pipe`, `substitution` … */
  readonly constructs: ReadonlySet<string>
}

const CONSTRUCTS: Readonly<Record<string, string>> = {
  AndOr: 'list',
  Pipeline: 'pipe',
  CommandExpansion: 'substitution',
  ProcessSubstitution: 'substitution',
  SimpleExpansion: 'variable',
  ParameterExpansion: 'variable',
  ArithmeticExpansion: 'variable',
  Glob: 'glob',
  ExtendedGlob: 'glob',
  BraceExpansion: 'glob',
  AnsiCQuoted: 'escapes',
  LocaleString: 'escapes',
  HereDoc: 'heredoc',
  HereString: 'heredoc',
  Redirect: 'redirect',
  Function: 'function',
  Coproc: 'background',
  If: 'control',
  For: 'control',
  ArithmeticFor: 'control',
  While: 'control',
  Select: 'control',
  Case: 'control',
  Subshell: 'list',
  BraceGroup: 'list',
  TestCommand: 'control',
  ArithmeticCommand: 'control',
  Assignment: 'assignment',
}

/** Parses; undefined when the parser failed or found an error. */
export function readWithUnbash(command: string): ShellReading | undefined {
  try {
    const script = parse(command)
    if (script.errors && script.errors.length > 0) return undefined
    const found: Found = { invocations: [], writes: [], constructs: new Set() }
    walk(script, found)
    if (script.commands.length !== 1) found.constructs.add('list')
    const [statement] = script.commands
    const single = script.commands.length === 1 && !statement?.background ? statement?.command : undefined
    return { ...found, argv: single?.type === 'Command' ? literalArgv(single) : undefined }
  } catch {
    // A parser that gives up has no opinion; without two opinions a person is asked.
    return undefined
  }
}

interface Found {
  readonly invocations: Invocation[]
  readonly writes: ShellWord[]
  readonly constructs: Set<string>
}

/** Depth first with a stack of its own: nesting is chosen by whoever wrote the command. */
function walk(root: SyntaxNode, found: Found): void {
  const waiting: SyntaxNode[] = [root]
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const construct = CONSTRUCTS[node.type]
    if (construct !== undefined) found.constructs.add(construct)
    if (node.type === 'Statement' && node.background) found.constructs.add('background')
    if (node.type === 'Word' && node.value.startsWith('~')) found.constructs.add('tilde')
    if (node.type === 'Redirect' && node.operator !== '<' && node.operator !== '<&' && node.target) {
      found.writes.push(shellWord(node.target))
    }
    if (node.type === 'Command') addCommand(node, found)
    const children: SyntaxNode[] = []
    forEachChild(node, (child) => children.push(child))
    waiting.push(...children.reverse())
  }
}

function addCommand(command: Command, found: Found): void {
  const env = command.prefix.flatMap((part) => (part.type === 'Assignment' ? [part.name] : []))
  const args = command.suffix.flatMap((part) => {
    if (part.type === 'Word') return [shellWord(part)]
    return part.type === 'Assignment' ? [{ value: part.text, literal: false }] : []
  })
  const words = command.name ? [shellWord(command.name), ...args] : []
  if (words.length > 0 || env.length > 0) found.invocations.push({ words, env })
}

function literalArgv(command: Command): string[] | undefined {
  if (!command.name || command.prefix.length > 0) return undefined
  const argv: string[] = []
  for (const word of [command.name, ...command.suffix]) {
    if (word.type !== 'Word' || !isLiteral(word)) return undefined
    argv.push(word.value)
  }
  return argv
}

function shellWord(word: Word): ShellWord {
  return { value: word.value, literal: isLiteral(word) }
}

function isLiteral(word: Word): boolean {
  return word.parts ? word.parts.every(isLiteralPart) : readBare(word.text) === word.value
}

function isLiteralPart(part: WordPart): boolean {
  if (part.type === 'SingleQuoted') return true
  if (part.type === 'Literal') return readBare(part.text) === part.value
  return part.type === 'DoubleQuoted' && part.parts.every((child) => child.type === 'Literal')
}
