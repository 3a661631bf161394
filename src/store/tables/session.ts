/** Sessions, their log and their runs. */
import type { Generated } from 'kysely'

export interface SessionsTable {
  id: string
  bot_id: string
  chat_id: string
  chat_type: 'group' | 'direct'
  thread_id: string | null
  /** Raised by /new: entries of older epochs are history, not context. */
  epoch: number
  model: string | null
  lease_owner: string | null
  /** Wall time; a lease is free when it is past. */
  lease_until: number
  fence: number
  /** Set by /stop; cleared when the run that saw it has ended. */
  stop_requested: number
  /** Set by /compact; cleared by the run that summed the conversation up. */
  compact_requested: number
  /** JSON list of grants given with "for this session". */
  grants: string
  closed_reason: string | null
  /** A suspended run that nobody may be asked about before this time; 0 otherwise. */
  wait_until: Generated<number>
  created_at: number
  updated_at: number
}

export interface SessionLogTable {
  id: Generated<number>
  session_id: string
  epoch: number
  run_id: string
  fence: number
  type: string
  payload: string
  created_at: number
}

export interface RunsTable {
  id: string
  session_id: string
  state: 'running' | 'suspended' | 'done' | 'failed' | 'stopped'
  requester: string
  /** Platform id of the message that the run answers. */
  reply_to: string | null
  /** JSON SentMessage, or what was prepared before it was sent. */
  live: string | null
  /** Crashes in a row; at three the run is parked. */
  crashes: number
  steps: number
  input_tokens: number
  output_tokens: number
  cached_tokens: number
  cost: number | null
  currency: string | null
  model: string | null
  reason: string | null
  started_at: number
  ended_at: number | null
  /** The beginning of the day in which it asked its model last; null before. */
  day_from: number | null
  /** Tokens of that day: input that was not cached, and output. */
  day_tokens: Generated<number>
}
