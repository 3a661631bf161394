/** The card of an approval that waits, painted from its row and nothing else. */
import { showText } from '../policy/command/visible-text.ts'
import { describeFinding, type Finding } from '../policy/finding.ts'
import type { Card, CardBlock, CardSelect } from '../protocol/card.ts'
import type { Translate } from '../protocol/ports.ts'
import type { ApprovalRow } from '../store/schema.ts'
import { personName, requestedBy } from './person-names.ts'
import { type ApprovalRequest, callOf, requestOf, type ShownCall, shownTitle } from './request.ts'
import { showCall, shownEnvironment } from './shown-command.ts'

export interface CardOptions {
  /** `Capabilities.cardCodeBytes` of the platform. */
  readonly codeBytes: number
  /** Display names by user key, as far as they are known. */
  readonly names?: Readonly<Record<string, string>>
}

export interface PendingCard {
  readonly card: Card
  /** The full text of the call, to be sent beside the card that could not hold it. */
  readonly attachment?: { readonly name: string; readonly text: string }
}

const MAX_NAMES = 5

/** `now` gives the time left; milliseconds. */
export function pendingCard(
  row: ApprovalRow,
  text: Translate,
  now: number,
  options: CardOptions,
): PendingCard {
  const call = callOf(row)
  const request = requestOf(row)
  const shown = showCall(call, text, options.codeBytes, request.target)
  const danger = request.findings.some((one) => one.severity === 'danger')
  const blocks: CardBlock[] = [
    {
      type: 'text',
      text: text('approval.card.lead', { who: requestedBy(row, text), title: shownTitle(request) }),
    },
    { type: 'code', text: shown.code },
    ...shown.notes.map((note): CardBlock => ({ type: 'text', text: note })),
    ...(request.again ? [{ type: 'text' as const, text: text('approval.card.again') }] : []),
    ...groupNote(request, text),
    { type: 'fields', fields: fieldsOf(row, call, text, now, options) },
    { type: 'text', text: riskText(request.findings, text) },
    { type: 'divider' },
    { type: 'text', text: text('approval.card.code', { code: row.code }) },
  ]
  const select = scopeSelect(request, text)
  const card: Card = {
    cardId: cardId(row),
    title: text(call.command === null ? 'approval.card.title' : 'approval.card.title.command'),
    tone: danger ? 'danger' : 'warning',
    tag: text('approval.status.pending'),
    blocks,
    buttons: [
      { text: text('approval.card.allow'), style: danger ? 'danger' : 'primary', value: value(row, 'allow') },
      { text: text('approval.card.deny'), style: 'default', value: value(row, 'deny') },
    ],
    ...(select ? { select } : {}),
    summary: text('approval.card.summary', { who: requestedBy(row, text), title: shownTitle(request) }),
  }
  if (shown.attachment === undefined) return { card }
  return { card, attachment: { name: `approval-${row.code}.txt`, text: shown.attachment } }
}

/** The same for the pending and the decided card, so that one replaces the other. */
export function cardId(row: ApprovalRow): string {
  return `approval-${row.id}`
}

function value(row: ApprovalRow, decision: 'allow' | 'deny'): Record<string, string> {
  return { a: row.id, d: decision, n: row.nonce }
}

function fieldsOf(
  row: ApprovalRow,
  call: ShownCall,
  text: Translate,
  now: number,
  options: CardOptions,
): { name: string; value: string }[] {
  const env = shownEnvironment(call, text)
  const minutes = Math.max(0, Math.ceil((row.expires_at - now) / 60_000))
  return [
    { name: text('approval.card.requester'), value: requestedBy(row, text) },
    { name: text('approval.card.approvers'), value: approverNames(row, text, options) },
    ...(call.cwd === null ? [] : [{ name: text('approval.card.cwd'), value: showText(call.cwd) }]),
    ...(env === undefined ? [] : [{ name: text('approval.card.env'), value: env }]),
    { name: text('approval.card.left'), value: text('approval.card.minutes', { minutes }) },
  ]
}

function approverNames(row: ApprovalRow, text: Translate, options: CardOptions): string {
  // Somebody with an identity on each platform is named once, as this chat knows him.
  const platform = row.requester.slice(0, row.requester.indexOf(':') + 1)
  const here = approversOf(row).filter((user) => user.startsWith(platform))
  const users = here.length > 0 ? here : approversOf(row)
  const names = users.slice(0, MAX_NAMES).map((user) => personName(user, options.names?.[user] ?? null))
  const list = names.join(text('approval.card.separator'))
  return users.length > MAX_NAMES ? text('approval.card.and_more', { list, count: users.length }) : list
}

function approversOf(row: ApprovalRow): string[] {
  const parsed: unknown = JSON.parse(row.approvers)
  return Array.isArray(parsed) ? parsed.filter((user): user is string => typeof user === 'string') : []
}

/** Why it is risky, worst first, one line each; a call without findings says that it is plain. */
function riskText(findings: readonly Finding[], text: Translate): string {
  if (findings.length === 0) return text('approval.card.no_findings')
  const mark = { danger: '‼', warning: '⚠', info: '·' }
  return findings.map((one) => `${mark[one.severity]} ${showText(describeFinding(one, text))}`).join('\n')
}

/** Says what allowing covers, when it is more than this call. */
function groupNote({ group }: ApprovalRequest, text: Translate): CardBlock[] {
  if (group === null) return []
  return [{ type: 'text', text: text('approval.card.group', { group: text(`approval.group.${group}`) }) }]
}

function scopeSelect(request: ApprovalRequest, text: Translate): CardSelect | undefined {
  if (request.grant === null) return undefined
  return {
    name: 'scope',
    label: text('approval.card.scope'),
    options: [
      { value: 'once', text: text('approval.scope.once') },
      { value: 'session', text: text('approval.scope.session') },
    ],
    initial: 'once',
  }
}
