/** Which rules of `approval.rules` match a call. Effects are weighed in `policy.ts`. */
import { posix } from 'node:path'
import type { ApprovalRule } from '../config/schema.ts'
import type { Address, UserKey } from '../protocol/address.ts'
import type { BoundCall } from '../protocol/tool.ts'
import { sameUser } from './access.ts'
import type { CommandAnalysis } from './command/analysis.ts'

export interface RuleSubject {
  readonly tool: string
  readonly bound: BoundCall
  readonly analysis: CommandAnalysis | undefined
  readonly requester: UserKey
  readonly address: Address
  readonly workspace: string
}

/**
 * A rule matches when every key it has matches. Deny and ask look at every program and every path in
 * the call; allow must fit the whole of it: one simple command, all paths.
 */
export function matches(rule: ApprovalRule, subject: RuleSubject): boolean {
  return (
    matchesTool(rule, subject) &&
    (rule.chat === undefined || matchesChat(rule.chat, subject.address)) &&
    (rule.user === undefined || sameUser(rule.user, subject.requester)) &&
    matchesCommand(rule, subject) &&
    (rule.path === undefined || matchesPaths(rule.path, rule.effect, subject))
  )
}

/**
 * A tool with a second name is the same tool: rules that name the one hold for the other. What is denied
 * or asked about for `shell` is so for every tool that runs a command.
 */
function matchesTool(rule: ApprovalRule, { tool, bound }: RuleSubject): boolean {
  const pattern = rule.tool
  if (pattern === undefined) return true
  const anyCommand = rule.effect !== 'allow' && bound.command !== undefined ? ['shell'] : []
  return [tool, bound.tool, ...anyCommand].some((name) => matchesName(pattern, name))
}

function matchesName(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

/** A chat is written as `<chat>`, `<bot>:<chat>` or `chat:<bot>:<chat>`. */
function matchesChat(pattern: string, { botId, chatId }: Address): boolean {
  return [chatId, `${botId}:${chatId}`, `chat:${botId}:${chatId}`].includes(pattern)
}

function matchesCommand(rule: ApprovalRule, { bound, analysis }: RuleSubject): boolean {
  const isCommand = bound.command !== undefined || analysis !== undefined
  // Typed into a running program: what the words mean there, no rule about programs can know.
  if (rule.effect === 'allow' && bound.keystrokes === true && !namesTool(rule)) return false
  if (rule.effect === 'allow' && isCommand) {
    return analysis?.verdict === 'simple' && startsWithWords(rule, analysis.argv, (program) => program)
  }
  if (rule.program === undefined && rule.args === undefined) return true
  return (analysis?.programs ?? []).some((words) => startsWithWords(rule, words, posix.basename))
}

function namesTool(rule: ApprovalRule): boolean {
  return rule.tool !== undefined && rule.program === undefined && rule.args === undefined
}

function startsWithWords(
  rule: ApprovalRule,
  words: readonly string[],
  nameOf: (program: string) => string,
): boolean {
  const [program = '', ...args] = words
  if (rule.program !== undefined && rule.program !== program && rule.program !== nameOf(program)) return false
  return (rule.args ?? []).every((arg, i) => arg === args[i])
}

function matchesPaths(pattern: string, effect: ApprovalRule['effect'], subject: RuleSubject): boolean {
  const paths = subject.bound.paths ?? []
  const glob = compileGlob(pattern)
  const matching = paths.filter((path) => glob.test(posix.relative(subject.workspace, path)))
  return effect === 'allow' ? paths.length > 0 && matching.length === paths.length : matching.length > 0
}

/** `*` stays within a folder, `**` crosses folders, everything else is literal. */
function compileGlob(pattern: string): RegExp {
  const source = pattern
    .split(/(\*\*\/?|\*)/)
    .map((part) => {
      if (part === '*') return '[^/]*'
      if (part === '**') return '.*'
      return part === '**/' ? '(?:.*/)?' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    })
    .join('')
  return new RegExp(`^${source}$`, 'u')
}
