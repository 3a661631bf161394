/** Events as they came and files that came with them. */
import type { Generated } from 'kysely'

/** Events as they were acknowledged. Rows with `state = 'waiting'` are work. */
export interface InboxTable {
  id: Generated<number>
  /** `<bot>:m:<message id>`, or `<bot>:m:<moment>:<message id>` where the platform fixes the moment; unique. */
  dedupe: string
  session_id: string
  bot_id: string
  kind: 'message' | 'command' | 'event'
  state: 'waiting' | 'taken' | 'dropped'
  payload: string
  /** Digest of place, person, time and content of a message; unique, to know a replay under new ids. */
  fingerprint: string | null
  received_at: number
}

export interface MediaTable {
  id: string
  session_id: string
  message_id: string
  /** Position among the message's attachments. */
  position: number
  state: 'waiting' | 'ready' | 'failed'
  kind: string
  name: string
  path: string | null
  bytes: number
  error: string | null
  created_at: number
}

/** Messages of bots that were answered one after the other, without a person between them. */
export interface BotChainsTable {
  session_id: string
  /** JSON list of `{ id, user }`: the messages and who wrote them. */
  taken: string
  last_at: number
}
