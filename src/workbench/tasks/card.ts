/** The card of a task that waits to be judged by a person, and what it becomes. */
import { ANSWER_DEADLINE_MS } from '../../outbound/deadlines.ts'
import { type Address, chatKey } from '../../protocol/address.ts'
import type { Card } from '../../protocol/card.ts'
import { clipText } from '../../protocol/clip-text.ts'
import type { Translate } from '../../protocol/ports.ts'
import type { WorkbenchTaskRow } from '../../store/schema.ts'
import type { Db } from '../../store/store.ts'
import type { WorkbenchDeps } from '../deps.ts'
import { validationsOf } from './task.ts'

const SHOWN_CHARACTERS = 600

/** Queues the card in the caller's transaction; once per completion. */
export async function putCompletedCard(
  db: Db,
  deps: Pick<WorkbenchDeps, 'outbox' | 'text'>,
  row: WorkbenchTaskRow,
): Promise<void> {
  const address = JSON.parse(row.address) as Address
  await deps.outbox.put(db, {
    key: `v-${row.id}-${row.nonce.slice(0, 12)}`,
    address,
    sessionId: row.session_id,
    ref: `task:${row.id}`,
    priority: 'high',
    deadlineMs: ANSWER_DEADLINE_MS,
    payload: { message: { type: 'card', card: taskCard(row, deps.text(address.botId)) } },
  })
}

/** Sends what {@link putCompletedCard} queued. */
export function flushCards(deps: Pick<WorkbenchDeps, 'outbox'>, row: WorkbenchTaskRow): void {
  deps.outbox.flush(chatKey(JSON.parse(row.address) as Address))
}

/** Painted from the row: with buttons while it waits, with the verdict afterwards. */
export function taskCard(row: WorkbenchTaskRow, text: Translate): Card {
  const waiting = row.stage === 'completed'
  const verdict = waiting ? undefined : validationsOf(row).at(-1)
  const result = verdict?.result ?? 'waiting'
  const fields = [
    { name: text('task.card.id'), value: row.id },
    { name: text('task.card.runs'), value: String(row.run_count) },
    ...(row.acceptance === '' ? [] : [{ name: text('task.card.acceptance'), value: short(row.acceptance) }]),
    ...(verdict ? [{ name: text('task.card.by'), value: verdict.name }] : []),
    ...(verdict && verdict.note !== '' ? [{ name: text('task.card.note'), value: short(verdict.note) }] : []),
  ]
  const button = (verb: 'pass' | 'fail', style: 'primary' | 'danger') => ({
    text: text(`task.card.${verb}`),
    style,
    value: { t: row.id, v: verb, n: row.nonce },
  })
  return {
    title: text(waiting ? 'task.card.title' : 'task.card.title.judged', { title: short(row.title) }),
    tone: result === 'passed' ? 'success' : result === 'failed' ? 'danger' : 'info',
    tag: text(`task.card.tag.${result}`),
    blocks: [
      { type: 'fields', fields },
      ...(row.output_tail === '' ? [] : [{ type: 'text' as const, text: short(row.output_tail) }]),
      ...(waiting
        ? [
            {
              type: 'text' as const,
              text: text('task.card.how', { id: row.id }),
              buttonless: text('task.card.how.buttonless', { id: row.id }),
            },
          ]
        : []),
    ],
    buttons: waiting ? [button('pass', 'primary'), button('fail', 'danger')] : [],
    summary: text(`task.card.summary.${result}`, { title: short(row.title) }),
    cardId: `v-${row.id}-${row.nonce.slice(0, 12)}`,
  }
}

function short(text: string): string {
  return clipText(text, SHOWN_CHARACTERS)
}
