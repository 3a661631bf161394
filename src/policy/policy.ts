/**
 * Rules → allow, ask or deny for one exact call. This room knows effects and authority; it refuses to
 * know platforms, models and how a call runs. It decides in this order, and the first that answers wins:
 *
 * 1. what nothing can allow: wiping a root (S20), variables that redirect programs (S6), and tools
 *    that act in the name of somebody who may not operate;
 * 2. `deny` rules, in the order they are written;
 * 3. `mode: never`: everything else is allowed, but a command that could not be read asks;
 * 4. `ask` rules;
 *    after them an address that the model made up beside other people's words, which may carry data
 *    out (N8), and a file that holds what looks like keys (X2);
 * 5. `allow` rules: for a command, only if it is simple;
 * 6. a grant given "for this session": to an exact command, or to a group of tools (browser, desktop);
 * 7. by kind: reading, writing inside the workspace and sending to the own chat are allowed, commands
 *    and control ask; remembering is allowed, and asks in a tainted session (P3) or on several people's words.
 *
 * So within the rules deny beats ask beats allow, wherever they stand; within one effect the first
 * match names the reason. A run that several people's messages are in is judged for each of them, and the
 * strictest answer holds: nobody's rules and grants lend themselves to somebody else's words. In a tainted session (somebody else's words are in the conversation) step 5
 * allows only commands that just look, and step 6 no command; a group stays granted, because its tools
 * work on foreign words from their first call on, except calls that may carry something out (P3, N8).
 * Sending stays allowed, because a file can only go to the chat whose workspace it comes from.
 */
import type { ApprovalRule, Config } from '../config/schema.ts'
import type { Address, UserKey } from '../protocol/address.ts'
import type { AnyTool, BoundCall } from '../protocol/tool.ts'
import type { Access } from './access.ts'
import type { CommandAnalysis } from './command/analysis.ts'
import { forbiddenVariable } from './command/environment.ts'
import { type Finding, finding } from './finding.ts'
import { type Grant, grantableArgv, matchingGrant, matchingGroup } from './grant.ts'
import { matches } from './rules.ts'

export interface PolicyQuestion {
  readonly tool: string
  readonly risk: AnyTool['risk']
  /** The group of the tool, if it is asked for as one. */
  readonly group?: string | undefined
  readonly bound: BoundCall
  /** Required for `risk: command`; without it a command asks. */
  readonly analysis: CommandAnalysis | undefined
  readonly requester: UserKey
  /** Others whose messages have joined the run. */
  readonly others?: readonly UserKey[]
  readonly address: Address
  readonly workspace: string
  readonly grants: readonly Grant[]
  readonly tainted: boolean
  /** An address of the call that the model made up and that has room for data (N8). */
  readonly composed?: string
  /** For the age of grants. */
  readonly now: number
}

/** What is to happen with a call, and why, in terms that are kept and shown. */
export interface PolicyAnswer {
  readonly effect: 'allow' | 'ask' | 'deny'
  /** What decided: `builtin:<name>`, `rule:<position from 1>`, `mode:never`, `grant`, `default:<risk>`. */
  readonly rule: string
  readonly findings: readonly Finding[]
  /** The operator's own words of a deny rule. */
  readonly reason?: string
  /** Words that "for this session" may cover, when asking. */
  readonly grant?: readonly string[]
  /** Group of tools that allowing covers, when asking. */
  readonly group?: string
}

/** Judges in the order that stands above; waits for nothing. */
export interface Policy {
  judge(question: PolicyQuestion): PolicyAnswer
}

type Verdict = Pick<PolicyAnswer, 'effect' | 'rule' | 'reason'>

/** The rules of one configuration. Pure: the same question has the same answer. */
export function createPolicy(config: Pick<Config, 'approval'>, access: Pick<Access, 'mayOperate'>): Policy {
  return {
    judge: (question) => {
      const findings = collectFindings(question)
      const verdict = strictest(
        [question.requester, ...(question.others ?? [])].map((requester) => {
          const own = { ...question, requester }
          return builtin(own, findings, access) ?? byRules(config.approval, own) ?? byKind(own)
        }),
      )
      const grant = question.tainted || isTyped(question) ? undefined : grantableArgv(question.analysis)
      if (verdict.effect !== 'ask') return { ...verdict, findings }
      const group = asksEach(question) ? undefined : question.group
      return { ...verdict, findings, ...(grant ? { grant } : {}), ...(group === undefined ? {} : { group }) }
    },
  }
}

/** Deny before ask before allow; of equal ones the first. */
function strictest(verdicts: readonly Verdict[]): Verdict {
  const of = (effect: Verdict['effect']): Verdict | undefined => verdicts.find((one) => one.effect === effect)
  return of('deny') ?? of('ask') ?? of('allow') ?? { effect: 'deny', rule: 'builtin:operate' }
}

function collectFindings({ analysis, bound, risk, tainted, composed }: PolicyQuestion): Finding[] {
  const variable = forbiddenVariable(Object.keys(bound.env ?? {}))
  return [
    ...(variable === undefined ? [] : [finding('environment', 'danger', { name: variable })]),
    ...(analysis?.findings ?? []),
    ...(composed === undefined ? [] : [finding('exfiltration', 'danger', { url: composed })]),
    ...(bound.keys === undefined ? [] : [finding('keys', 'danger', { keys: bound.keys.join(', ') })]),
    ...(bound.unseen ? [finding('unseen', 'warning')] : []),
    ...(tainted && risk !== 'read' ? [finding('tainted', 'warning')] : []),
  ]
}

function builtin(
  question: PolicyQuestion,
  findings: readonly Finding[],
  access: Pick<Access, 'mayOperate'>,
): Verdict | undefined {
  if (findings.some((one) => one.code === 'wipe')) return { effect: 'deny', rule: 'builtin:wipe' }
  if (findings.some((one) => one.code === 'environment'))
    return { effect: 'deny', rule: 'builtin:environment' }
  if (question.risk !== 'read' && !access.mayOperate(question.requester, question.address)) {
    return { effect: 'deny', rule: 'builtin:operate' }
  }
  return undefined
}

function byRules(approval: Config['approval'], question: PolicyQuestion): Verdict | undefined {
  const found = (effect: ApprovalRule['effect']): Verdict | undefined => {
    const at = approval.rules.findIndex((rule) => rule.effect === effect && matches(rule, question))
    const reason = approval.rules[at]?.reason
    return at < 0
      ? undefined
      : { effect, rule: `rule:${at + 1}`, ...(reason === undefined ? {} : { reason }) }
  }
  const denied = found('deny')
  if (denied) return denied
  if (approval.mode === 'never') return withoutAsking(question)
  const asked = found('ask')
  if (asked) return asked
  if (question.composed !== undefined) return { effect: 'ask', rule: 'builtin:exfiltration' }
  if (question.bound.keys !== undefined) return { effect: 'ask', rule: 'builtin:keys' }
  if (question.bound.unseen) return { effect: 'ask', rule: 'builtin:unseen' }
  if (question.tainted && question.risk !== 'read')
    return (question.analysis?.readsOnly ? found('allow') : undefined) ?? byGroup(question)
  return found('allow') ?? byGrant(question) ?? byGroup(question)
}

/** The same words typed again may mean something else by then. */
function isTyped({ bound }: PolicyQuestion): boolean {
  return bound.keystrokes === true
}

function asksEach({ tainted, bound }: PolicyQuestion): boolean {
  return tainted && bound.carriesOut === true
}

function byGroup(question: PolicyQuestion): Verdict | undefined {
  if (question.group === undefined || asksEach(question)) return undefined
  const grant = matchingGroup(question.grants, question.group, question)
  return grant && { effect: 'allow', rule: `grant:${grant.approvalId}` }
}

/** What no parser could read was not checked against the rules that deny. */
function withoutAsking({ analysis }: PolicyQuestion): Verdict {
  const unread = analysis?.findings.some((one) => one.code === 'unreadable')
  return unread ? { effect: 'ask', rule: 'builtin:unreadable' } : { effect: 'allow', rule: 'mode:never' }
}

function byGrant({ analysis, bound, grants, requester, now }: PolicyQuestion): Verdict | undefined {
  if (!analysis || bound.keystrokes === true) return undefined
  const grant = matchingGrant(grants, { analysis, bound, requester, now })
  return grant && { effect: 'allow', rule: `grant:${grant.approvalId}` }
}

function byKind({ risk, bound, workspace, tainted, others = [] }: PolicyQuestion): Verdict {
  const rule = `default:${risk}`
  switch (risk) {
    case 'read':
    case 'send':
      return { effect: 'allow', rule }
    case 'write':
      return {
        effect: (bound.paths ?? []).every((path) => isInside(path, workspace)) ? 'allow' : 'ask',
        rule,
      }
    case 'memory':
      return { effect: tainted || others.length > 0 ? 'ask' : 'allow', rule }
    case 'command':
    case 'control':
      return { effect: 'ask', rule }
  }
}

function isInside(path: string, workspace: string): boolean {
  return path === workspace || path.startsWith(`${workspace}/`)
}
