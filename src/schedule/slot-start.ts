/** Starts a slot: inserts its prompt into the inbox as a message without a human sender, or claims its report for rendering. */
import type { Address, UserKey } from '../protocol/address.ts'
import type { MessageEvent } from '../protocol/inbound.ts'
import { insertInbox } from '../store/repositories/inbox.ts'
import { moveSlot, newestMailId } from '../store/repositories/schedule-slots.ts'
import { openFreshSession } from '../store/repositories/sessions.ts'
import type { ScheduleRow, ScheduleSlotRow } from '../store/schema.ts'
import type { Db } from '../store/store.ts'
import type { ScheduleDeps } from './deps.ts'
import { parseAuthority, parseSpec, type ScheduleSpec } from './spec.ts'

/** How long one try to render may take before another process may think it dead. */
export const RENDER_MS = 300_000

export type Begun = 'run' | 'render' | 'lost'

/** Runs in the caller's transaction. Returns `lost` if another process has started the slot. */
export async function beginSlot(
  trx: Db,
  deps: ScheduleDeps,
  row: ScheduleRow,
  slot: ScheduleSlotRow,
): Promise<Begun> {
  const now = deps.clock.now()
  const spec = parseSpec(row.spec)
  const address = JSON.parse(slot.address) as Address
  const begun = await moveSlot(trx, slot, ['queued'], {
    state: 'running',
    started_at: now,
    outbox_from: await newestMailId(trx),
    claimed_until: spec.report === undefined ? 0 : now + RENDER_MS,
  })
  if (!begun) return 'lost'
  await openFreshSession(trx, slot.session_id, address, now)
  if (spec.report !== undefined) return 'render'
  const event = messageOf(deps, row, spec, slot, address)
  await insertInbox(trx, [
    {
      dedupe: inboxKey(slot),
      sessionId: slot.session_id,
      botId: address.botId,
      kind: 'message',
      state: 'waiting',
      payload: JSON.stringify(event),
      receivedAt: now,
    },
  ])
  return 'run'
}

/** Dedupe key of the slot's message. */
export function inboxKey(slot: Pick<ScheduleSlotRow, 'schedule_id' | 'slot'>): string {
  return `schedule:${slot.schedule_id}:${slot.slot}`
}

function messageOf(
  deps: ScheduleDeps,
  row: ScheduleRow,
  spec: ScheduleSpec,
  slot: ScheduleSlotRow,
  address: Address,
): MessageEvent {
  const { name } = parseAuthority(row.authority)
  return {
    type: 'message',
    address,
    messageId: inboxKey(slot),
    sender: {
      user: row.creator as UserKey,
      ...(name === undefined ? {} : { name }),
      isBot: false,
      isExternal: false,
    },
    text: deps.text(address.botId)('schedule.prompt', {
      prompt: spec.prompt ?? '',
      when: `${deps.local.local(slot.due_at, spec.timezone).replace('T', ' ')} ${spec.timezone}`,
    }),
    mentions: [],
    mentionsBot: true,
    mentionsAll: false,
    attachments: [],
    sentAt: slot.due_at,
    replyTo: '',
    scheduled: { scheduleId: row.id, slot: slot.slot, runId: slot.run_id },
  }
}
