/** The card of an approval that waits, painted from its row and nothing else. */
import { showText } from '../policy/command/visible-text.ts'
import { describeFinding, type Finding } from '../policy/finding.ts'
import type { Card, CardBlock, CardSelect } from '../protocol/card.ts'
import type { Translate } from '../protocol/ports.ts'
import type { ZoneTime } from '../protocol/zone-time.ts'
import type { ApprovalRow } from '../store/schema.ts'
import { personName, requestedBy } from './person-names.ts'
import { type ApprovalRequest, callOf, requestOf, type ShownCall, shownTitle } from './request.ts'
import { showCall, shownEnvironment } from './shown-command.ts'

export interface CardOptions {
  /** `Capabilities.cardCodeBytes` of the platform. */
  readonly codeBytes: number
  /** Display names by user key, as far as they are known. */
  readonly names?: Readonly<Record<string, string>>
  readonly zone: Pick<ZoneTime, 'show'>
  /** Real path of the chat's workspace: where a whole path has no room, the part inside it is named. */
  readonly workspace?: string
}

export interface PendingCard {
  readonly card: Card
  /** The full text of the call, to be sent beside the card that could not hold it. */
  readonly attachment?: { readonly name: string; readonly text: string }
}

const MAX_NAMES = 5
/** Runs a command while its caller waits, and does nothing else. */
const COMMAND_TOOL = 'shell'

type Field = Extract<CardBlock, { type: 'fields' }>['fields'][number]

/** `now` tells whether it ends today; milliseconds. */
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
      // The requester has a field, and this tool's title is its command.
      short: call.tool === COMMAND_TOOL ? '' : shownTitle(request),
    },
    { type: 'code', text: shown.code },
    ...shown.notes.map((note): CardBlock => ({ type: 'text', text: note })),
    ...(request.again ? [{ type: 'text' as const, text: text('approval.card.again') }] : []),
    ...groupNote(request, text),
    { type: 'fields', fields: fieldsOf(row, call, text, now, options) },
    riskBlock(request.findings, text),
    { type: 'divider' },
    {
      type: 'text',
      text: text('approval.card.code', { code: row.code }),
      short: text('approval.card.code.short', { code: row.code }),
      buttonless: text('approval.card.code.buttonless', { code: row.code }),
    },
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
): Field[] {
  const env = shownEnvironment(call, text)
  return [
    { name: text('approval.card.requester'), value: requestedBy(row, text) },
    {
      name: text('approval.card.approvers'),
      shortName: text('approval.card.approvers.short'),
      value: approverNames(row, text, options),
    },
    ...(call.cwd === null ? [] : [folderField(call.cwd, text, options.workspace)]),
    ...(env === undefined ? [] : [{ name: text('approval.card.env'), value: env }]),
    { name: text('approval.card.until'), value: untilWords(row, now, options.zone) },
  ]
}

function folderField(cwd: string, text: Translate, workspace: string | undefined): Field {
  const field = { name: text('approval.card.cwd'), value: showText(cwd) }
  if (workspace === undefined) return field
  if (cwd === workspace) return { ...field, short: text('approval.card.cwd.root') }
  if (!cwd.startsWith(`${workspace}/`)) return field
  const path = showText(cwd.slice(workspace.length + 1))
  return { ...field, short: text('approval.card.cwd.inside', { path }) }
}

/** A time of day, with its date when that is not today's: minutes left would be wrong a minute later. */
function untilWords(row: ApprovalRow, now: number, zone: CardOptions['zone']): string {
  const until = zone.show(Number(row.expires_at))
  const [day, time = until] = until.split(' ')
  return zone.show(now).startsWith(`${day} `) ? time : until
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
function riskBlock(findings: readonly Finding[], text: Translate): CardBlock {
  if (findings.length === 0) {
    const short = text('approval.card.no_findings.short')
    return { type: 'text', text: text('approval.card.no_findings'), short }
  }
  const mark = { danger: '‼', warning: '⚠', info: '·' }
  const lines = findings.map((one) => `${mark[one.severity]} ${showText(describeFinding(one, text))}`)
  return { type: 'text', text: lines.join('\n') }
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
