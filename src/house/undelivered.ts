/** What people in a chat are told when a message that they wait for could not be delivered there. */

import type { Approvals } from '../approval/approvals.ts'
import { NOTICE_DEADLINE_MS } from '../outbound/deadlines.ts'
import { type Delivery, isChatGone } from '../outbound/outbox.ts'
import type { Address } from '../protocol/address.ts'
import type { LiveState } from '../protocol/outbound.ts'
import type { Translate } from '../protocol/ports.ts'
import { isScheduleSession } from '../protocol/schedule.ts'
import type { NewOutboxRow, OutboxPayload } from '../store/repositories/outbox.ts'
import type { LiveHandle } from '../store/repositories/runs.ts'
import type { OutboxRow } from '../store/schema.ts'

interface NoticeDeps {
  readonly approvals: Pick<Approvals, 'byId'>
  readonly text: Translate
  /** The running message of a run. */
  readonly live: (runId: string) => Promise<LiveHandle | undefined>
}

/** Errors after which no notice is sent: the chat cannot be reached, or the message is too old to matter. */
const SILENT = /^outbox\.(no_bot|too_late)$/

/**
 * The notice for an answer or an approval that could not be delivered. Undefined if the failure is reported
 * elsewhere (files by their tool, schedules to their owners), if the chat is gone, or if the failed message was a
 * notice itself. The notice replaces a live message that would stay at "thinking", but only when the answer is
 * certainly not in it.
 */
export async function undeliveredNotice(
  row: OutboxRow,
  delivery: Delivery,
  deps: NoticeDeps,
): Promise<NewOutboxRow | undefined> {
  if (delivery.state === 'sent' || isChatGone(delivery.error) || SILENT.test(delivery.error.code))
    return undefined
  if (row.session_id !== null && isScheduleSession(row.session_id)) return undefined
  const [kind = '', id = ''] = row.ref.split(':')
  const params = { code: delivery.error.code, id: row.id }
  const markdown = await words(kind, id, delivery.state, params, deps)
  if (markdown === undefined) return undefined
  const run = delivery.state === 'failed' ? intoRun(row) : undefined
  const isRunning = run !== undefined && (await deps.live(run))?.sent !== undefined
  return {
    key: `u-${row.id}`,
    address: JSON.parse(row.address) as Address,
    ...(row.session_id === null ? {} : { sessionId: row.session_id }),
    ref: 'notice',
    priority: 'high',
    deadlineMs: NOTICE_DEADLINE_MS,
    payload: isRunning
      ? { message: { type: 'live', live: lastState(deps.text, markdown) }, intoRun: run }
      : { message: { type: 'markdown', markdown } },
  }
}

/** Id of the run whose live message the row was to finish; undefined if there is none or the row is unreadable. */
function intoRun(row: OutboxRow): string | undefined {
  try {
    return (JSON.parse(row.payload) as OutboxPayload).intoRun
  } catch {
    return undefined
  }
}

function lastState(text: Translate, words: string): LiveState {
  return { phase: 'failed', label: text('live.phase.failed'), text: words, steps: [], todos: [] }
}

async function words(
  kind: string,
  id: string,
  state: 'failed' | 'unknown',
  params: Readonly<Record<string, string | number>>,
  { approvals, text }: NoticeDeps,
): Promise<string | undefined> {
  if (kind === 'final') return text(`outbox.undelivered.${state}`, params)
  if (kind !== 'card') return undefined
  const row = await approvals.byId(id)
  if (row?.status !== 'pending') return undefined
  return text('outbox.undelivered.card', { ...params, code: row.code, why: params['code'] ?? '' })
}
