/** What a person sees in a chat, as a playground or a test reads it. Plain data. */

export interface CardButton {
  key: string
  text: string
  /** 1 emphasis, 2 blue on grey, 3 red on grey, 4 neutral; absent counts as 1. */
  style?: number
  /** A button that opens a page instead of calling back (app cards with `type: 1`). */
  url?: string
}

export interface CardChoice {
  questionKey: string
  title: string
  /** True for the checkbox list of a vote card in multiple mode. */
  multiple: boolean
  options: { id: string; text: string }[]
  selectedIds: string[]
  disabled: boolean
}

/** One version of a template card, as painted by the client. */
export interface CardView {
  cardType: string
  taskId?: string
  source?: string
  title?: string
  description?: string
  subTitle?: string
  quote?: string
  emphasis?: { title?: string; description?: string }
  rows: { name: string; value: string; url?: string; userid?: string }[]
  choices: CardChoice[]
  buttons: CardButton[]
  submit?: { text: string; key: string }
  url?: string
  /** The grey dead text that replaces the buttons of an app's card (`replace_text`, `replace_name`). */
  replaceText?: string
  /** The whole `template_card` object as the developer sent it. */
  raw: Record<string, unknown>
}

export interface FileView {
  name: string
  bytes: Uint8Array
}

export type MessageContent =
  | { type: 'text'; text: string }
  | { type: 'markdown'; text: string }
  /** `finished` false is shown as still writing. `images` only in URL mode. */
  | { type: 'stream'; text: string; finished: boolean; images: Uint8Array[] }
  | { type: 'card'; card: CardView }
  | { type: 'file' | 'image' | 'voice' | 'video'; file: FileView; transcript?: string }
  | { type: 'mixed'; parts: ({ type: 'text'; text: string } | { type: 'image'; file: FileView })[] }
  | { type: 'news'; articles: { title: string; description?: string; url?: string }[] }
  | { type: 'recalled' }

export type Sender =
  | { type: 'member'; userid: string; name: string }
  | { type: 'bot'; botId: string; name: string }
  | { type: 'app'; agentId: number; name: string }
  | { type: 'robot'; key: string; name: string }

/** A message as one viewer sees it now. */
export interface MessageView {
  /** Unique in the simulator; use it to quote, click or give feedback. */
  id: string
  chat: string
  sender: Sender
  /** Milliseconds since 1970 by the simulator's clock. */
  sentAt: number
  updatedAt: number
  content: MessageContent
  /** Text of the quoted message, if any. */
  quote?: string
  quoteId?: string
  /** The message carries a feedback id, so the client shows 👍 / 👎. */
  feedback: boolean
}

/** What the client shows after a click on a card button. */
export interface ClickView {
  /**
   * `updated`: the developer answered within the window. `unanswered`: the client's spinner ended without a change.
   * `undelivered`: nobody was connected. `opened`: the button opens a page.
   */
  outcome: 'updated' | 'unanswered' | 'undelivered' | 'opened'
  /** The clicker's copy of the card afterwards. */
  card: CardView
}
