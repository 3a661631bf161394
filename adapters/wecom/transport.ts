/** What the adapter needs of a long connection; the socket implements it, tests may too. */
import type { AdapterStatus } from '../../src/protocol/adapter.ts'

export type Command =
  | 'aibot_subscribe'
  | 'ping'
  | 'aibot_respond_msg'
  | 'aibot_respond_welcome_msg'
  | 'aibot_respond_update_msg'
  | 'aibot_send_msg'
  | 'aibot_upload_media_init'
  | 'aibot_upload_media_chunk'
  | 'aibot_upload_media_finish'

interface RequestOptions {
  /** A callback's req_id, echoed in the answer to it; a new unique one when absent. */
  readonly reqId?: string
  /** How long the acknowledgement may take, milliseconds. */
  readonly timeoutMs?: number
}

/** A callback frame: somebody spoke or did something. */
export interface CallbackFrame {
  readonly cmd: string
  readonly reqId: string
  readonly body: unknown
}

export interface WecomTransport {
  /** Connects and keeps connected. Rejects only when the bot's credentials are refused. */
  start(): Promise<void>
  /**
   * Sends a command and resolves with the acknowledgement's body. Rejects with the platform's error,
   * `wecom.not_connected` (nothing was sent) or `wecom.outcome_unknown` (sent, no acknowledgement).
   */
  request(cmd: Command, body: unknown, options?: RequestOptions): Promise<unknown>
  status(): AdapterStatus
  stop(): Promise<void>
}
