/**
 * The typed handle on the Feishu simulator: what an administrator, the people in the chats, the
 * network and the clock would do. It knows nothing of the product under test; everything the product
 * sees goes over HTTP and WebSocket at `url`.
 */
import type { Clock, Logger, Random } from '../../../src/protocol/ports.ts'
import type { SimulatorSettings } from './settings.ts'

export interface FeishuSimulatorOptions {
  /** Drives retries (15 s, 5 min, 1 h, 6 h), the 3 s answer limit, token life and every other window. */
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** Loopback port; absent takes a free one. */
  readonly port?: number
  readonly settings?: Partial<SimulatorSettings>
}

export interface FeishuSimulator {
  /** `http://127.0.0.1:PORT`: the `domain` of an SDK client. */
  readonly url: string
  readonly control: FeishuControl
  /** Closes sockets and the server; nothing keeps the process alive afterwards. */
  stop(): Promise<void>
}

/** Everything the simulator can be told or asked. Calls are synchronous unless people would wait. */
export interface FeishuControl extends TenantControl, UserControl, ViewControl {
  readonly faults: FaultControl
  /** Changes settings from now on. */
  configure(settings: Partial<SimulatorSettings>): void
}

// ---------------------------------------------------------------- administrator

export interface AppOptions {
  readonly name?: string
  /** `cli_` + 16 hex digits; absent makes a new one. Use one per test: the SDK caches tokens by it. */
  readonly appId?: string
  readonly appSecret?: string
  readonly tenantKey?: string
  /** Granted scopes; absent grants {@link defaultScopes}. */
  readonly scopes?: readonly string[]
  /** Bot ability; default true. */
  readonly bot?: boolean
  /** A version was published and approved; default true. Without one, events and callbacks are inert. */
  readonly published?: boolean
  readonly eventMode?: 'ws' | 'webhook'
  /** `none` is the forgotten "callback" tab: every click shows 200340. Default: same as `eventMode`. */
  readonly callbackMode?: 'ws' | 'webhook' | 'none'
  /** Request address of events. */
  readonly webhookUrl?: string
  /** Request address of card callbacks; default `webhookUrl`. */
  readonly callbackUrl?: string
  readonly encryptKey?: string
  /** Default: a random one. */
  readonly verificationToken?: string
  /** Users who may use the app; others give 230013. Default everyone of the tenant. */
  readonly availability?: 'all' | readonly string[]
  /** Addresses that may call the API; empty allows all, anything else without 127.0.0.1 gives 99991401. */
  readonly ipAllowList?: readonly string[]
  /** Subscribed event types; default all that the simulator can send. */
  readonly events?: readonly string[]
}

export interface AppInfo {
  readonly appId: string
  readonly appSecret: string
  readonly name: string
  readonly tenantKey: string
  /** The bot's own open_id as this app sees it. */
  readonly botOpenId: string
  readonly verificationToken: string
  readonly encryptKey?: string
}

export interface UserOptions {
  readonly name: string
  /** Absent: the tenant that exists from the beginning. */
  readonly tenantKey?: string
  /** `user_id` of the tenant; absent makes a new one. */
  readonly userId?: string
  readonly email?: string
  readonly mobile?: string
  readonly departments?: readonly string[]
  readonly resigned?: boolean
}

export interface UserInfo {
  /** The tenant's `user_id`. Every control call names a user by it. */
  readonly userId: string
  readonly unionId: string
  readonly name: string
  readonly tenantKey: string
}

export interface ChatOptions {
  readonly name?: string
  /** `topic` is a group whose messages are all topics. Direct chats come from {@link TenantControl.openDirect}. */
  readonly mode?: 'group' | 'topic'
  /** user ids */
  readonly members: readonly string[]
  /** app ids */
  readonly bots?: readonly string[]
  /** user id; default the first member. */
  readonly owner?: string
  /** Whether anybody may @all; default true. */
  readonly atAllAllowed?: boolean
  /** Whether replies may open topics; default true, else 230071. */
  readonly topicsAllowed?: boolean
  /** Muted for bots: sending gives 230018. Default false. */
  readonly muted?: boolean
  /** "Restricted mode": resources cannot be downloaded (234038). Default false. */
  readonly restricted?: boolean
}

export interface TenantControl {
  /** Makes another tenant (company) and returns its key. */
  createTenant(name: string): string
  /** Makes an app and publishes it as told. */
  createApp(options?: AppOptions): AppInfo
  /** Changes an app as its administrator would. Unset fields stay. */
  updateApp(appId: string, change: Partial<Omit<AppOptions, 'appId' | 'tenantKey'>>): AppInfo
  createUser(options: UserOptions): UserInfo
  createDepartment(name: string): string
  /** Returns the chat id (`oc_…`). Bots hear of it by `im.chat.member.bot.added_v1`. */
  createChat(options: ChatOptions): string
  updateChat(chatId: string, change: Partial<Omit<ChatOptions, 'members' | 'bots' | 'mode'>>): void
  /** The direct chat of a user with a bot, made when absent. */
  openDirect(userId: string, appId: string): string
  addMember(chatId: string, userId: string): void
  removeMember(chatId: string, userId: string): void
  addBot(chatId: string, appId: string, operatorId?: string): void
  removeBot(chatId: string, appId: string, operatorId?: string): void
  disband(chatId: string, operatorId?: string): void
  /** `ou_…` of a user as one app sees it. */
  openId(userId: string, appId: string): string
  /** user id behind an open_id of any app, or undefined. */
  userOf(openId: string): string | undefined
  /** Saves the request address as the console does: sends `url_verification`, at most 1 s. */
  verifyWebhook(appId: string, which?: 'event' | 'callback'): Promise<{ ok: boolean; reason: string }>
  /** Live sockets of an app. */
  connections(appId: string): number
  /** Makes every token of the app invalid now; the next token request gives a new one. */
  revokeTokens(appId: string): void
  /** From now on (or no longer) every token of this app is refused with 99991663. */
  refuseTokens(appId: string, refused: boolean): void
}

// ---------------------------------------------------------------- people

/** A piece of typed text: words, or a mention of a user id, an app id or everybody. */
export type TextPart = string | { readonly at: string }

/**
 * Typed text. In a string, `@[name]` mentions the member or bot of that name, `@[all]` or `@[所有人]`
 * everybody. On the wire mentions become `@_user_N` in order of appearance.
 */
export type Typed = string | readonly TextPart[]

export interface SayOptions {
  /** Quoted message. */
  readonly replyTo?: string
  /** With `replyTo`: opens (or continues) a topic there. */
  readonly inTopic?: boolean
}

export interface ForeignFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** What the person sees after a click; at most one of `code` and the rest. */
export interface ClickOutcome {
  /** The client's own error number, e.g. 200340 (no callback configured), 200341 (no answer in 3 s). */
  readonly code?: number
  readonly toast?: {
    readonly type: 'info' | 'success' | 'warning' | 'error'
    readonly content: string
  }
  /** The new card, if the answer carried one. */
  readonly card?: unknown
  /** Event id of the callback, absent when none was sent. */
  readonly eventId?: string
}

export interface ClickOptions {
  readonly userId: string
  readonly messageId: string
  /**
   * Which component: its rendered label, its `name` or `element_id`, or (object) a value that its
   * callback value must contain. A disabled or missing one throws, as nobody could press it.
   */
  readonly on: string | Readonly<Record<string, unknown>>
  /** What was typed or chosen in the form around the button, by component name. */
  readonly form?: Readonly<Record<string, unknown>>
  /** For components outside forms. */
  readonly input?: string
  readonly option?: string
  readonly options?: readonly string[]
  readonly checked?: boolean
}

export interface UserControl {
  /** Each returns the new message's id (`om_…`). Throws when the user is not in the chat. */
  say(chatId: string, userId: string, text: Typed, options?: SayOptions): string
  /** A rich text; `content` in the form people's clients produce: paragraphs of `{tag:…}`. */
  sayPost(
    chatId: string,
    userId: string,
    post: { title?: string; content: readonly (readonly PostPart[])[] },
    options?: SayOptions,
  ): string
  sendImage(chatId: string, userId: string, image: ForeignFile, options?: SayOptions): string
  sendFile(chatId: string, userId: string, file: ForeignFile, options?: SayOptions): string
  sendAudio(chatId: string, userId: string, audio: ForeignFile & { ms: number }, options?: SayOptions): string
  sendMedia(chatId: string, userId: string, video: ForeignFile & { ms: number }, options?: SayOptions): string
  sendSticker(chatId: string, userId: string, options?: SayOptions): string
  /** Forwards several messages as one bundle. */
  forwardBundle(chatId: string, userId: string, messageIds: readonly string[]): string
  shareChat(chatId: string, userId: string, sharedChatId: string): string
  shareUser(chatId: string, userId: string, sharedUserId: string): string
  /** Any message type with any content, as it would arrive. */
  sendRaw(chatId: string, userId: string, type: string, content: unknown, options?: SayOptions): string
  /** Forwards one message as a copy; of a card this gives the forwarded copy, unless forbidden (throws). */
  forward(messageId: string, userId: string, toChatId: string): string
  edit(messageId: string, userId: string, text: Typed): void
  recall(messageId: string, userId: string): void
  react(messageId: string, userId: string, emoji: string): void
  unreact(messageId: string, userId: string, emoji: string): void
  /** Opens the direct chat with the bot: `…bot_p2p_chat_entered_v1`. */
  enterDirect(userId: string, appId: string): string
  /** Picks an entry of the bot's menu: `application.bot.menu_v6`. */
  pressMenu(userId: string, appId: string, eventKey: string): void
  /** Presses a component of a card; resolves with what the person sees. */
  click(options: ClickOptions): Promise<ClickOutcome>
}

/** A part of a person's rich text. `at` names a user id, an app id or `all`; `img` carries bytes. */
export type PostPart =
  | { readonly tag: 'text'; readonly text: string; readonly style?: readonly string[] }
  | { readonly tag: 'a'; readonly href: string; readonly text: string }
  | { readonly tag: 'at'; readonly at: string }
  | { readonly tag: 'img'; readonly file: ForeignFile }
  | { readonly tag: 'media'; readonly file: ForeignFile }
  | { readonly tag: 'emotion'; readonly emoji_type: string }
  | { readonly tag: 'code_block'; readonly language: string; readonly text: string }
  | { readonly tag: 'hr' }

// ---------------------------------------------------------------- what can be seen

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

export interface ChatView {
  readonly chatId: string
  readonly name: string
  readonly mode: 'p2p' | 'group' | 'topic'
  readonly members: readonly UserInfo[]
  readonly bots: readonly AppInfo[]
  readonly disbanded: boolean
}

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

export type JournalEntry = RequestEntry | DeliveryEntry | ConnectionEntry

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

// ---------------------------------------------------------------- faults

/** Hits requests of the product. Every field is optional; a rule without effect fields does nothing. */
export interface RequestFault {
  /** `METHOD route` with placeholders as in {@link RequestEntry.route}, a route, or absent for all. */
  readonly route?: string
  readonly appId?: string
  /** How many requests it hits; default 1. */
  readonly times?: number
  /** How many matching requests pass before. */
  readonly after?: number
  readonly status?: number
  readonly code?: number
  readonly message?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds by the clock before the request is looked at. */
  readonly delayMs?: number
  /**
   * `drop_before`: the connection breaks and nothing was done; `drop_after`: done, but the answer is
   * lost; `hang`: no answer at all; `html`: a proxy's page instead of JSON.
   */
  readonly break?: 'drop_before' | 'drop_after' | 'hang' | 'html'
}

/** Hits deliveries to the product. */
export interface DeliveryFault {
  readonly appId?: string
  readonly eventType?: string
  readonly times?: number
  /**
   * `lose`: not sent, counts as failed; `duplicate`: sent twice at once; `hold`: kept back until the
   * next delivery has gone (reorder); `fragment`: split in three and shuffled (sockets only);
   * `early`: sent in the tick of the upgrade, where the SDK loses it (sockets only);
   * `ignore_answer`: the answer counts as missing.
   */
  readonly effect: 'lose' | 'duplicate' | 'hold' | 'fragment' | 'early' | 'ignore_answer'
}

export interface FaultControl {
  onRequest(fault: RequestFault): void
  onDelivery(fault: DeliveryFault): void
  /** The next `times` endpoint requests answer this code (always with `data`). */
  onEndpoint(fault: { code: number; message?: string; status?: number; times?: number; appId?: string }): void
  /** Closes every socket of the app from the server's side. */
  closeSockets(appId: string, code?: number): void
  /** Sockets stay open but nothing comes out of them any more, nor is anything read. */
  stallSockets(appId: string): void
  /** Ends a stall; what was sent meanwhile is lost. */
  resumeSockets(appId: string): void
  /** Delivers the event of a message again, now; `newEventId` as the platform sometimes does. */
  redeliver(messageId: string, options?: { newEventId?: boolean; appId?: string }): void
  /** Delivers any event now, header made by the simulator. Returns the event id. */
  emit(appId: string, eventType: string, event: Readonly<Record<string, unknown>>): string
  clear(): void
}
