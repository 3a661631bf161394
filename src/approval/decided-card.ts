/** The card of a settled approval: who decided, when and why; without buttons. */
import { showText } from '../policy/command/visible-text.ts'
import type { Card, CardTone } from '../protocol/card.ts'
import type { Translate } from '../protocol/ports.ts'
import type { ApprovalRow } from '../store/schema.ts'
import { type CardOptions, cardId } from './pending-card.ts'
import { decidedBy, requestedBy } from './person-names.ts'
import { callOf, hasLapsed, requestOf, shownTitle } from './request.ts'
import { showCall } from './shown-command.ts'

const TONES: Readonly<Record<ApprovalRow['status'], CardTone>> = {
  pending: 'warning',
  approved: 'success',
  consumed: 'success',
  denied: 'danger',
  expired: 'neutral',
  cancelled: 'neutral',
}

/** Painted from the row, never from the click. */
export function decidedCard(row: ApprovalRow, text: Translate, options: CardOptions): Card {
  const call = callOf(row)
  const request = requestOf(row)
  const status = text(`approval.status.${hasLapsed(row) ? 'lapsed' : row.status}`)
  const shown = showCall(call, text, options.codeBytes, request.target)
  return {
    cardId: cardId(row),
    title: text(call.command === null ? 'approval.card.title' : 'approval.card.title.command'),
    tone: TONES[row.status],
    tag: status,
    blocks: [
      {
        type: 'text',
        text: text('approval.card.lead.decided', { who: requestedBy(row, text), title: shownTitle(request) }),
      },
      { type: 'code', text: shown.code },
      ...shown.notes.map((note) => ({ type: 'text' as const, text: note })),
      { type: 'fields', fields: fieldsOf(row, status, text, options) },
    ],
    buttons: [],
    summary: text('approval.card.decided', { status, title: shownTitle(request) }),
  }
}

function fieldsOf(
  row: ApprovalRow,
  status: string,
  text: Translate,
  { zone }: CardOptions,
): { name: string; value: string }[] {
  const request = requestOf(row)
  const byPerson = row.decided_by !== null && row.decided_by !== 'system'
  return [
    { name: text('approval.card.result'), value: status },
    ...(byPerson ? [{ name: text('approval.card.decider'), value: decidedBy(row) }] : []),
    ...(row.decided_at === null
      ? []
      : [{ name: text('approval.card.when'), value: zone.show(Number(row.decided_at)) }]),
    ...(row.scope === 'session'
      ? [{ name: text('approval.card.scope'), value: scopeWords(request.group, text) }]
      : []),
    ...(row.reason === null ? [] : [{ name: text('approval.card.reason'), value: showText(row.reason) }]),
  ]
}

function scopeWords(group: string | null, text: Translate): string {
  if (group === null) return text('approval.scope.session')
  return text('approval.scope.group', { group: text(`approval.group.${group}`) })
}
