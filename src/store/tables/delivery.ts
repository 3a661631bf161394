/** Messages on their way out, chats and people. */
import type { Generated } from 'kysely'

export interface OutboxTable {
  id: Generated<number>
  /** Idempotency key on the platform. */
  key: string
  /** Order is kept within a chat. */
  chat_key: string
  session_id: string | null
  bot_id: string
  /** JSON Address. */
  address: string
  /** `final:<run>`, `card:<approval>`, `file:<call>`, `notice`; lets others find the row. */
  ref: string
  payload: string
  priority: 'high' | 'low'
  state: 'pending' | 'sending' | 'sent' | 'failed' | 'unknown'
  /** Tries so far; with `owner` it names one claim, so that a late answer of an older one changes nothing. */
  attempts: number
  /** Process that is sending it, in state `sending`. */
  owner: string | null
  next_at: number
  deadline: number
  /** JSON handle reported before sending. */
  prepared: string | null
  /** JSON SentMessage. */
  sent: string | null
  /** JSON {code, message, hint}. */
  error: string | null
  created_at: number
  sent_at: number | null
}

/** Chats the bot knows, and whether it is still in them. */
export interface ChatsTable {
  bot_id: string
  chat_id: string
  state: 'present' | 'removed' | 'disbanded'
  name: string | null
  updated_at: number
}

/** Display names by user key, as last seen. Shown, never compared. */
export interface PeopleTable {
  user: string
  name: string
  updated_at: number
}

export interface LocksTable {
  name: string
  owner: string
  until: number
}
