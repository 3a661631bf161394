/**
 * A platform. Implementations live in `adapters/<platform>` and import only `src/protocol`, their
 * vendor SDK and node: a line that knows a platform's field name belongs there and nowhere else.
 */
import type { Address, UserKey } from './address.ts'
import type { Card } from './card.ts'
import type { AppError } from './errors.ts'
import type { Attachment, InboundEvent, MessageEvent } from './inbound.ts'
import type { ApprovalsClient } from './oa-approval.ts'
import type { LiveState, OutboundMessage, SentMessage } from './outbound.ts'
import type { Clock, Locale, Logger, Random, Translate } from './ports.ts'
import type { ZoneTime } from './zone-time.ts'

/** What the platform can take. Data, so that splitting, pacing and layout are decided elsewhere. */
export interface Capabilities {
  /** Largest markdown of one `markdown` message, in UTF-8 bytes, envelope already subtracted. */
  readonly markdownBytes: number
  /** Largest plain text of one `text` message, in UTF-8 bytes. */
  readonly textBytes: number
  /** Largest literal text that the `code` blocks of one card may hold together, in UTF-8 bytes. */
  readonly cardCodeBytes: number
  /** Tables one markdown message may hold; the rest must be turned into code. */
  readonly tablesPerMessage: number
  readonly fileBytes: number
  readonly imageBytes: number
  /** Least time between two updates of one live message, milliseconds. */
  readonly liveIntervalMs: number
  /** How long after its first frame a live message can still change; Infinity if for good. */
  readonly liveWindowMs: number
  /** True when a card that was sent can be changed at any later time. */
  readonly cardsUpdatable: boolean
  /** True when a finished approval card can become the run's live message. */
  readonly continueInCard: boolean
  /** True when a repeated idempotency key is dropped by the platform, and for how long. */
  readonly idempotentSendMs: number
}

/** What the platform wants answered at once to an event, mostly to a click. */
export interface Receipt {
  readonly toast?: {
    readonly tone: 'info' | 'success' | 'warning' | 'error'
    readonly text: string
    /** Name of the person it is for, where it is known: some platforms can say it only in the chat. */
    readonly to?: string
  }
  /** Replaces the clicked card. */
  readonly card?: Card
}

/** Takes an event; resolves only when it is safe to acknowledge. A rejection means: deliver again. */
export type Receive = (event: InboundEvent) => Promise<Receipt>

/** How one message is to be sent, and what an interrupted earlier try of it left. */
export interface SendOptions {
  /** At most 50 characters of `[A-Za-z0-9_-]`. The same key never makes a second message. */
  readonly key: string
  /** Finals, approvals and notices go before the updates of running answers. */
  readonly priority: 'high' | 'low'
  /**
   * A handle that an earlier, interrupted try of the same key reported by `onPrepared`. The adapter
   * goes on from there instead of preparing again (a CardKit entity, an uploaded file).
   */
  readonly prepared?: SentMessage['handle']
  /**
   * Called, and awaited, after preparation and before the message itself is sent. With `repeatable: true` in
   * it, sending again from this handle replaces what an interrupted try may have sent.
   */
  readonly onPrepared?: (handle: SentMessage['handle']) => Promise<void>
  /** An update that says nothing new: never worth a message of its own when the old one is closed. */
  readonly repaint?: boolean
  /** The live state of this moment: what a call that had to wait for its turn shows instead of the older one. */
  readonly latest?: () => LiveState
  readonly signal?: AbortSignal
}

/** What the platform knows about a message, fetched after the acknowledgement. */
export interface Hydrated {
  /** Text of the quoted parent or the forwarded bundle; untrusted content of other people. */
  readonly context: readonly {
    readonly kind: 'quote' | 'forward'
    readonly from: string
    readonly text: string
  }[]
  /** Attachments found in the parent or the bundle, beside those of the message itself. */
  readonly attachments: readonly Attachment[]
  /** What could not be fetched, as locale keys; shown to the person, never fatal. */
  readonly notes: readonly {
    readonly key: string
    readonly params?: Readonly<Record<string, string>>
  }[]
  /** Display names learned on the way. */
  readonly names: Readonly<Record<UserKey, string>>
}

/** A webhook request before anything of it was parsed or verified. */
export interface RawRequest {
  readonly method: string
  /** Path below the bot's own webhook route, e.g. `''`, `'aibot'`, `'app'`. */
  readonly path: string
  readonly query: URLSearchParams
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** The answer to a webhook request. */
export interface RawResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** `standby`: all is well, and another process holds the one connection. */
export type AdapterState = 'starting' | 'connected' | 'standby' | 'reconnecting' | 'failed' | 'stopped'

/** State of a bot's connection, for readiness and the doctor. */
export interface AdapterStatus {
  readonly state: AdapterState
  /** English, for the log and the doctor. Empty when all is well. */
  readonly detail: string
  readonly since: number
}

/** One finding of the doctor. `fix` says where to click, with a link. */
export interface Diagnosis {
  readonly check: string
  /** True unless something is known to be wrong. */
  readonly ok: boolean
  /** No API answers this question: only a person can look. */
  readonly unseen?: true
  readonly detail: string
  readonly fix?: string
  readonly link?: string
  /** The error that `detail` and `fix` tell in English: it may have words in other languages. */
  readonly error?: AppError
}

/** One bot on one platform. Implementations reject with `AppError`s whose code begins with the platform's name. */
export interface Adapter {
  readonly botId: string
  readonly platform: string
  readonly capabilities: Capabilities
  /** Connects and begins to hand in events. Resolves when connected, or when the first try has failed
   * in a way that a supervisor goes on with; rejects only on what an operator must change. */
  start(receive: Receive): Promise<void>
  /** Sends one message. Rejects with an `AppError`; `retryable` decides what the outbox does next. */
  send(to: Address, message: OutboundMessage, options: SendOptions): Promise<SentMessage>
  /** Replaces the content of a sent live message or card; returns the handle for the next update. */
  update(sent: SentMessage, to: Address, message: OutboundMessage, options: SendOptions): Promise<SentMessage>
  /** Fetches what a message only refers to. Never rejects for content: it notes instead. */
  hydrate(event: MessageEvent, signal: AbortSignal): Promise<Hydrated>
  /** Streams an attachment to `path` (exclusive create, 0600); rejects over `maxBytes`. */
  download(
    attachment: Attachment,
    path: string,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<{ name: string; bytes: number }>
  /** The company's approval forms, where the platform has them and the bot may read them. */
  readonly approvals?: ApprovalsClient
  /** Display name of a person, if the platform tells; undefined otherwise. Never rejects. */
  nameOf?(user: UserKey, signal: AbortSignal): Promise<string | undefined>
  /** A sign on the person's message that work has begun; the returned function takes it away. Never rejects. */
  indicate(to: Address, messageId: string): Promise<() => Promise<void>>
  /** Raw bytes in. Absent when the transport has no webhook. */
  webhook?(request: RawRequest): Promise<RawResponse>
  /** Largest body that {@link Adapter.webhook} takes, bytes; present with it. */
  readonly webhookBytes?: number
  status(): AdapterStatus
  /** False while messages to this address leave over a connection that another process holds. Absent: always true. */
  sendsHere?(to: Address): boolean
  /** Live checks of the tenant's settings for `doctor`. */
  diagnose(signal: AbortSignal): Promise<Diagnosis[]>
  /** Drains handlers, sends their acknowledgements, closes. */
  stop(): Promise<void>
}

/** Paces platform calls: one scheduler per app, so that many answers share the app's quota fairly. */
export interface CallScheduler {
  /** Runs `call` when every named bucket has room; `high` goes first, `low` is fair between `lane`s. */
  run<T>(request: CallRequest, call: () => Promise<T>): Promise<T>
  /** The platform said wait: holds the bucket for `ms`. */
  hold(bucket: string, ms: number): void
}

/** One platform call as the scheduler sees it. */
export interface CallRequest {
  readonly buckets: readonly {
    readonly name: string
    readonly limits: readonly RateLimit[]
  }[]
  readonly priority: 'high' | 'low'
  /** Whose turn it is among low calls: a chat or a card. */
  readonly lane: string
  readonly signal?: AbortSignal
}

/** At most `calls` calls within any `perMs` milliseconds. */
export interface RateLimit {
  readonly calls: number
  readonly perMs: number
}

/** Exactly one owner for things that must not run twice across processes (one socket per bot). */
export interface OwnerLock {
  /** Resolves to true when this process holds `name` for `ttlMs`; call again to renew. */
  acquire(name: string, ttlMs: number): Promise<boolean>
  release(name: string): Promise<void>
}

/** What every adapter factory is given beside its own configuration. */
export interface AdapterDeps {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly locale: Locale
  readonly text: Translate
  /** Times as people read them. */
  readonly zone: ZoneTime
  readonly scheduler: CallScheduler
  readonly lock: OwnerLock
}
