/** What people in the chats can do, and what they see of a click. */

/** A piece of typed text: words, or a mention of a user id, an app id or everybody. */
export type TextPart = string | { readonly at: string }

/**
 * Typed text. In a string, `@[name]` mentions the member or bot of that name, `@[all]` or `@[所有人]`
 * everybody. On the wire mentions become `@_user_N` in order of appearance.
 */
export type Typed = string | readonly TextPart[]

/** Where a message stands. */
export interface SayOptions {
  /** Quoted message. */
  readonly replyTo?: string
  /** With `replyTo`: opens (or continues) a topic there. */
  readonly inTopic?: boolean
}

/** A file that a person sends. */
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

/** Who presses what on which card. */
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

/** What people do. */
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
