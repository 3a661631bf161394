/** What can be seen: chats as people see them, and everything that went over the wire. */
import type { AppInfo, UserInfo } from './control-tenant.ts'

/** Who wrote a message. */
export interface TranscriptSender {
  readonly kind: 'user' | 'bot' | 'system'
  /** user id or app id */
  readonly id: string
  readonly name: string
  /** Stable text to draw an avatar from. */
  readonly avatarSeed: string
}

/** A message as people see it now. */
export interface TranscriptMessage {
  readonly messageId: string
  readonly chatId: string
  readonly sender: TranscriptSender
  /** `text`, `post`, `image`, `file`, `audio`, `media`, `sticker`, `interactive`, `merge_forward`, … */
  readonly type: string
  /** Parsed content as last updated; of a card its JSON, streamed text included. */
  readonly content: unknown
  /** Plain text with names instead of placeholders: what one would read aloud. */
  readonly text: string
  /** For cards. `streaming` is true while the typewriter runs. */
  readonly card?: {
    readonly version: 1 | 2
    readonly cardId?: string
    readonly streaming: boolean
    readonly sequence?: number
  }
  /** Keys for {@link ViewControl.fileBytes}, in order of appearance. */
  readonly fileKeys: readonly string[]
  readonly rootId?: string
  readonly parentId?: string
  readonly threadId?: string
  readonly recalled: boolean
  /** How often it was edited (text, post) or updated (cards). */
  readonly edits: number
  readonly reactions: readonly {
    readonly emoji: string
    readonly by: readonly string[]
  }[]
  /** Milliseconds. */
  readonly createdAt: number
  readonly updatedAt: number
}

/** A chat and who is in it. */
export interface ChatView {
  readonly chatId: string
  readonly name: string
  readonly mode: 'p2p' | 'group' | 'topic'
  readonly members: readonly UserInfo[]
  readonly bots: readonly AppInfo[]
  readonly disbanded: boolean
}

/** What changed, for pages that are live. */
export interface SimulatorChange {
  readonly type: 'message' | 'chat' | 'connection'
  readonly chatId?: string
  readonly messageId?: string
}

/** One API request of the product. */
export interface RequestEntry {
  readonly kind: 'request'
  readonly id: number
  readonly at: number
  readonly appId?: string
  readonly method: string
  /** With placeholders: `/open-apis/im/v1/messages/:message_id/reply`. */
  readonly route: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** Parsed JSON, or for uploads the fields with byte counts. Secrets are replaced. */
  readonly body: unknown
  readonly status: number
  /** Business code; -1 when the answer carried none. */
  readonly code: number
  readonly response: unknown
  /** The fault that was applied, if any. */
  readonly fault?: string
}

/** One try to hand an event or callback to the product. */
export interface DeliveryEntry {
  readonly kind: 'delivery'
  readonly id: number
  readonly at: number
  readonly appId: string
  readonly eventId: string
  readonly eventType: string
  readonly messageId?: string
  readonly via: 'ws' | 'webhook' | 'none'
  /** 1 for the first try. */
  readonly attempt: number
  readonly outcome: 'pending' | 'ok' | 'failed' | 'timeout' | 'no_connection' | 'lost'
  /** HTTP status, or the code of the acknowledgement frame. */
  readonly status?: number
  readonly answer?: unknown
  readonly finishedAt?: number
}

/** A socket came or went. */
export interface ConnectionEntry {
  readonly kind: 'connection'
  readonly id: number
  readonly at: number
  readonly appId: string
  readonly change: 'endpoint' | 'open' | 'ping' | 'close'
  readonly detail: string
}

/** One line of the journal; `id` rises over all kinds. */
export type JournalEntry = RequestEntry | DeliveryEntry | ConnectionEntry

/** The read side: nothing here changes anything but {@link ViewControl.clearJournal}. */
export interface ViewControl {
  chats(): readonly ChatView[]
  chat(chatId: string): ChatView
  users(): readonly UserInfo[]
  apps(): readonly AppInfo[]
  /** Every message of a chat, oldest first, as it looks now. */
  transcript(chatId: string): readonly TranscriptMessage[]
  message(messageId: string): TranscriptMessage | undefined
  /** Called after every change; returns the way to stop listening. */
  onChange(listener: (change: SimulatorChange) => void): () => void
  /** Name and bytes of a file or image key. */
  fileBytes(key: string): { readonly name: string; readonly bytes: Buffer } | undefined
  /** Oldest first; the last 20,000 entries. */
  journal(): readonly JournalEntry[]
  /** Requests only, newest state, optionally of one route or `METHOD route`. */
  requests(route?: string): readonly RequestEntry[]
  deliveries(eventType?: string): readonly DeliveryEntry[]
  clearJournal(): void
  /** Resolves when no delivery waits for an answer. Retries that wait for their time do not count. */
  idle(): Promise<void>
}
