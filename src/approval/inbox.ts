/**
 * Handles clicks on approval cards and typed decisions: calls decide() and builds the immediate answer to the
 * platform. A forged button value finds no approval.
 */
import { z } from 'zod'
import type { Receipt } from '../protocol/adapter.ts'
import type { ActionEvent, MessageEvent } from '../protocol/inbound.ts'
import type { Translate } from '../protocol/ports.ts'
import type { ZoneTime } from '../protocol/zone-time.ts'
import type { ApprovalRow } from '../store/schema.ts'
import type { Approvals } from './approvals.ts'
import type { Decision, DecisionInput } from './decide.ts'
import { decidedCard } from './decided-card.ts'
import { parseDecisionText } from './decision-text.ts'
import { decidedBy } from './person-names.ts'

export interface ApprovalInboxDeps {
  readonly approvals: Approvals
  readonly textFor: (botId: string) => Translate
  /** `Capabilities.cardCodeBytes` of a bot. */
  readonly codeBytesFor: (botId: string) => number
  readonly zone: Pick<ZoneTime, 'show'>
}

export interface ApprovalInbox {
  /** Undefined when the click is on no approval card. The decision is committed when this resolves. */
  handleAction(event: ActionEvent): Promise<Receipt | undefined>
  /** `reply` is to be sent into the chat. A message that is no decision goes on to the agent. */
  handleText(
    event: MessageEvent,
  ): Promise<{ readonly handled: true; readonly reply: string } | { readonly handled: false }>
}

const valueSchema = z.strictObject({
  a: z.string().regex(/^[a-z0-9]{16,64}$/),
  d: z.enum(['allow', 'deny']),
  n: z.string().min(16).max(64),
})

const MAX_REASON_CHARS = 500
type Tone = NonNullable<Receipt['toast']>['tone']

/** Connects platform events with decide(): cards by id and nonce, typed decisions by code. */
export function createApprovalInbox(deps: ApprovalInboxDeps): ApprovalInbox {
  return {
    handleAction: async (event) => {
      if (!('a' in event.value)) return undefined
      const text = deps.textFor(event.address.botId)
      const value = valueSchema.safeParse(event.value)
      if (!value.success) return receipt('error', text('approval.toast.not_found'))
      const decision = await deps.approvals.decide({
        target: { by: 'card', approvalId: value.data.a, nonce: value.data.n },
        decision: value.data.d,
        scope: event.form.scope ?? 'once',
        operator: event.operator,
        address: event.address,
        ...optional('messageId', event.messageId),
        ...optional('reason', cleanReason(event.form.reason)),
      })
      const answer = describe(decision, text)
      const { botId } = event.address
      const card =
        decision.outcome === 'not_found' || decision.outcome === 'refused'
          ? {}
          : {
              card: decidedCard(decision.row, text, { codeBytes: deps.codeBytesFor(botId), zone: deps.zone }),
            }
      return { ...receipt(answer.tone, answer.text), ...card }
    },

    handleText: async (event) => {
      const parsed = event.sender.isBot ? undefined : parseDecisionText(event.text)
      if (!parsed) return { handled: false }
      if (!parsed.explicit && !(await deps.approvals.knowsCode(event.address.botId, parsed.code))) {
        return { handled: false }
      }
      const decision = await deps.approvals.decide({
        target: { by: 'code', code: parsed.code },
        decision: parsed.decision,
        scope: parsed.scope,
        operator: event.sender,
        address: event.address,
        ...optional('reason', cleanReason(parsed.reason)),
      })
      return { handled: true, reply: describe(decision, deps.textFor(event.address.botId)).text }
    },
  }
}

function describe(decision: Decision, text: Translate): { tone: Tone; text: string } {
  switch (decision.outcome) {
    case 'not_found':
      return { tone: 'error', text: text('approval.toast.not_found') }
    case 'refused':
      return { tone: 'error', text: text(`approval.refused.${decision.reason}`) }
    case 'expired':
      return { tone: 'warning', text: text('approval.toast.expired') }
    case 'already':
      return { tone: 'info', text: text('approval.toast.already', settledParams(decision.row, text)) }
    case 'decided': {
      const key = decision.row.status === 'approved' ? 'approval.toast.approved' : 'approval.toast.denied'
      return { tone: 'success', text: text(key, { code: decision.row.code }) }
    }
  }
}

function settledParams(row: ApprovalRow, text: Translate): { who: string; status: string } {
  const who = row.decided_by === 'system' ? text('approval.system') : decidedBy(row)
  return { who, status: text(`approval.status.${row.status}`) }
}

function receipt(tone: Tone, text: string): Receipt {
  return { toast: { tone, text } }
}

function cleanReason(reason: string | undefined): string | undefined {
  const trimmed = reason?.trim().slice(0, MAX_REASON_CHARS).toWellFormed()
  return trimmed === '' ? undefined : trimmed
}

function optional<Key extends keyof DecisionInput>(
  key: Key,
  value: DecisionInput[Key] | undefined,
): Partial<Pick<DecisionInput, Key>> {
  const partial: Partial<Pick<DecisionInput, Key>> = {}
  if (value !== undefined) partial[key] = value
  return partial
}
