/** How a slot ended, from the rows that prove it. Pure. */
import { Buffer } from 'node:buffer'
import type { OutboundMessage } from '../protocol/outbound.ts'
import type { OutboxRow, RunRow, ScheduleSlotRow } from '../store/schema.ts'
import { parseNotes } from './spec.ts'

export interface SlotOutcome {
  readonly state: 'delivered' | 'failed' | 'unknown' | 'replaced'
  /** Bytes of what the platform confirmed. */
  readonly size: number
  /** Platform ids of what the platform confirmed, in order. */
  readonly deliveries: readonly string[]
  readonly error: { readonly code: string; readonly message: string; readonly hint: string } | null
  readonly endedAt: number
}

/** Every row of `mail` is closed. `run` is absent for reports. */
export function outcomeOf(
  slot: ScheduleSlotRow,
  run: RunRow | undefined,
  mail: readonly OutboxRow[],
  now: number,
): SlotOutcome {
  const sent = mail.filter((row) => row.state === 'sent')
  const lost = mail.find((row) => row.state === 'failed') ?? mail.find((row) => row.state === 'unknown')
  const base = {
    size: sent.reduce((sum, row) => sum + sizeOf(row), 0),
    deliveries: sent.map((row) => (JSON.parse(row.sent ?? '{}') as { messageId?: string }).messageId ?? ''),
    endedAt: Math.max(run?.ended_at ?? 0, ...sent.map((row) => row.sent_at ?? 0)) || now,
  }
  if (lost) return { ...base, state: lost.state === 'failed' ? 'failed' : 'unknown', error: errorOf(lost) }
  if (run && run.state !== 'done') {
    const replaced = parseNotes(slot.notes).some((note) => note.code === 'replaced')
    const code = `schedule.run_${run.state}`
    const error = { code, message: run.reason ?? run.state, hint: '' }
    return replaced ? { ...base, state: 'replaced', error: null } : { ...base, state: 'failed', error }
  }
  if (sent.length === 0) {
    const error = { code: 'schedule.nothing_sent', message: 'the run left nothing to send', hint: '' }
    return { ...base, state: 'failed', error }
  }
  return { ...base, state: 'delivered', error: null }
}

function sizeOf(row: OutboxRow): number {
  const { message } = JSON.parse(row.payload) as { message: OutboundMessage }
  if (message.type === 'file') return message.file.bytes
  if (message.type === 'markdown') return Buffer.byteLength(message.markdown)
  if (message.type === 'text') return Buffer.byteLength(message.text)
  return 0
}

function errorOf(row: OutboxRow): NonNullable<SlotOutcome['error']> {
  const {
    code = 'outbox.failed',
    message = '',
    hint = '',
  } = JSON.parse(row.error ?? '{}') as Partial<NonNullable<SlotOutcome['error']>>
  return { code, message, hint }
}
