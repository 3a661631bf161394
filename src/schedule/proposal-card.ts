/** The card of a proposal, before and after the decision: painted from the row, never from the click. */
import type { Card, CardBlock } from '../protocol/card.ts'
import type { Translate } from '../protocol/ports.ts'
import type { Asker } from '../protocol/schedule.ts'
import type { ScheduleProposalRow } from '../store/schema.ts'
import type { ScheduleDeps } from './deps.ts'
import { nextWords, policyWords, timeWords, toWords, whenWords } from './description.ts'
import { parseSpec, type ScheduleSpec } from './spec.ts'

const NEXT_SHOWN = 5
const TONES = { pending: 'info', confirmed: 'success', cancelled: 'neutral', expired: 'neutral' } as const

/** The card in its current state: with buttons while the proposal is pending, without afterwards. */
export async function proposalCard(deps: ScheduleDeps, row: ScheduleProposalRow): Promise<Card> {
  const asker = JSON.parse(row.asker) as Asker
  const text = deps.text(asker.address.botId)
  const spec = parseSpec(row.spec)
  const title = text(`schedule.card.title.${row.action}`)
  const pending = row.status === 'pending'
  const hint = { until: timeWords(deps, row.expires_at, deps.timezone), id: row.schedule_id }
  return {
    title,
    tone: TONES[row.status],
    tag: text(pending ? 'schedule.card.tag' : `schedule.card.tag.${row.status}`),
    blocks: [
      { type: 'text', text: spec.name },
      { type: 'fields', fields: await fieldsOf(deps, row, asker, spec, text) },
      ...whatOf(spec, text),
      ...(pending
        ? [
            {
              type: 'text' as const,
              text: text('schedule.card.hint', hint),
              buttonless: text('schedule.card.hint.buttonless', hint),
            },
          ]
        : []),
    ],
    buttons: pending ? buttonsOf(row, text) : [],
    summary: text('schedule.card.summary', { title, name: spec.name }),
    cardId: `schedule-${row.id}`,
  }
}

async function fieldsOf(
  deps: ScheduleDeps,
  row: ScheduleProposalRow,
  asker: Asker,
  spec: ScheduleSpec,
  text: Translate,
): Promise<{ name: string; value: string }[]> {
  const decided =
    row.decided_at === null || row.decided_by === null
      ? []
      : [
          {
            name: text('schedule.card.decided'),
            value: text('schedule.card.decided_by', {
              who: row.decided_name ?? row.decided_by,
              when: timeWords(deps, row.decided_at, spec.timezone),
            }),
          },
        ]
  // Fields of a card are literal: the marks that keep a list's asterisks apart would be seen.
  const plain = (words: string): string => words.replaceAll('`', '')
  return [
    { name: text('schedule.card.when'), value: plain(whenWords(deps, spec, text)) },
    ...(isOver(row)
      ? []
      : [{ name: text('schedule.card.next'), value: nextWords(deps, spec, NEXT_SHOWN, text).join('\n') }]),
    { name: text('schedule.card.to'), value: plain(await toWords(deps, spec.to, asker.address, text)) },
    { name: text('schedule.card.creator'), value: asker.name ?? asker.user },
    { name: text('schedule.card.policy'), value: policyWords(spec, text) },
    ...decided,
  ]
}

/** Whether it will not run by this change: no time is to come. */
function isOver({ status, action }: ScheduleProposalRow): boolean {
  if (status === 'confirmed') return action === 'delete'
  // A change that nobody confirmed leaves the schedule with other times than the card's.
  return status !== 'pending'
}

/** What it does each time, literally: nothing in a prompt may pass for a part of the card. */
function whatOf(spec: ScheduleSpec, text: Translate): CardBlock[] {
  const what =
    spec.report === undefined ? (spec.prompt ?? '') : `${spec.report} ${JSON.stringify(spec.params)}`
  const commands = spec.preapproved.map((one) => `${one.command}   (→ ${one.until})`)
  return [
    { type: 'code', text: what },
    ...(commands.length === 0
      ? []
      : [
          { type: 'text' as const, text: text('schedule.card.preapproved') },
          { type: 'code' as const, text: commands.join('\n') },
        ]),
  ]
}

function buttonsOf(row: ScheduleProposalRow, text: Translate): Card['buttons'] {
  const value = (d: 'confirm' | 'cancel'): Record<string, string> => ({
    ...{ k: 'schedule', p: row.id, n: row.nonce },
    d,
  })
  return [
    { text: text('schedule.card.confirm'), style: 'primary', value: value('confirm') },
    { text: text('schedule.card.cancel'), style: 'default', value: value('cancel') },
  ]
}
