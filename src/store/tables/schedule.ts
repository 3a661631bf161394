/** Schedules, their slots and what is proposed. */
import type { Generated } from 'kysely'

/** What happens by itself, and when next. Only rows in state `active` have a next time. */
export interface SchedulesTable {
  id: string
  /** Where it was written down; `config` rows follow the file at every start. */
  source: 'config' | 'chat'
  state: 'active' | 'paused' | 'done' | 'deleted'
  /** Why it is paused: a code of an error or `person`. */
  reason: string | null
  /** JSON ScheduleSpec. */
  spec: string
  /** Destination, for lists by chat. */
  bot_id: string
  chat_id: string
  creator: string
  /** JSON: the creator's name, where it was created, the rights and tools at that time. */
  authority: string
  /** The newest slot that was taken: local time and zone. */
  last_slot: string | null
  next_slot: string | null
  /** The slot's own time; `next_at` adds the jitter. */
  next_due: number | null
  next_at: number | null
  created_at: number
  updated_at: number
}

/** One time of a schedule. The unique pair (schedule_id, slot) makes any number of processes fire once. */
export interface ScheduleSlotsTable {
  schedule_id: string
  /** `2026-03-08T09:00 Asia/Shanghai`, or `manual:…` and `preview:…`. */
  slot: string
  kind: 'due' | 'manual' | 'preview'
  state: 'queued' | 'running' | 'sending' | 'delivered' | 'failed' | 'unknown' | 'skipped' | 'replaced'
  due_at: number
  session_id: string
  /** JSON Address that the result goes to. */
  address: string
  run_id: string
  /** Rows of the outbox above this id belong to the slot. */
  outbox_from: Generated<number>
  /** While a report is rendered; past when the renderer died. */
  claimed_until: Generated<number>
  /** JSON list of { code, params }: late, replaced, skipped for want of an approval. */
  notes: Generated<string>
  /** Bytes of everything delivered. */
  size: Generated<number>
  cost: number | null
  currency: string | null
  /** JSON list of platform message ids. */
  deliveries: Generated<string>
  /** JSON { code, message, hint }. */
  error: string | null
  created_at: number
  started_at: number | null
  ended_at: number | null
}

/** A change of a schedule that waits for a click. */
export interface ScheduleProposalsTable {
  id: string
  /** Makes a repeated call the same proposal. */
  once: string
  nonce: string
  action: 'create' | 'update' | 'delete'
  schedule_id: string
  /** JSON ScheduleSpec: as it shall be, or as it was when its deletion was asked for. */
  spec: string
  /** JSON Asker. */
  asker: string
  status: 'pending' | 'confirmed' | 'cancelled' | 'expired'
  decided_by: string | null
  decided_name: string | null
  decided_at: number | null
  expires_at: number
  created_at: number
}
