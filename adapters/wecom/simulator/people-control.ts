/** What people can do in the client: the half of the control interface that plays persons. */
import type { ClickView } from './view.ts'

/** How a mention stands in the text. */
export interface Mention {
  bot: string
  position?: 'start' | 'middle' | 'end'
  sign?: '@' | '＠'
  /** What stands between mention and text; default U+2005. */
  gap?: string
}

interface Spoken {
  chat: string
  /** userid of the speaker. */
  from: string
  /**
   * Puts `@name` into the text and notifies that bot. Without it, a group's bots are notified when the text
   * contains `@name` or `＠name` of theirs.
   */
  at?: Mention
  /** Id of a message of the same chat. */
  quote?: string
}

export type PersonMessage = Spoken &
  (
    | { type: 'text'; text: string }
    | { type: 'file' | 'image' | 'video'; name: string; bytes: Uint8Array }
    /** Voice reaches a bot already transcribed. */
    | { type: 'voice'; name: string; bytes: Uint8Array; transcript: string }
    | { type: 'mixed'; parts: ({ type: 'text'; text: string } | { type: 'image'; bytes: Uint8Array })[] }
  )

export interface PersonClick {
  messageId: string
  from: string
  /** Key of a button or of the submit button. */
  key: string
  /** Chosen option ids by question key; absent questions keep the card's preselection. */
  selections?: Record<string, string[]>
}

export interface PersonFeedback {
  messageId: string
  from: string
  /** 1 helpful, 2 not helpful, 3 withdrawn. */
  type: 1 | 2 | 3
  content?: string
  /** 1 off-topic, 2 incomplete, 3 wrong, 4 data-analysis error. */
  reasons?: number[]
}

/** What people do in the client. Throws AppError `simulator.refused` for what the client would not allow. */
export interface PeopleControl {
  /** Resolves with the new message's id once it stands in the chat; callbacks go out by themselves. */
  send(message: PersonMessage): Promise<string>
  /** Resolves with what the client shows: after the developer's answer, or after 5 s of the clock. */
  click(click: PersonClick): Promise<ClickView>
  /** Opens a bot's single chat or an app's page. */
  openChat(chat: string): Promise<void>
  feedback(feedback: PersonFeedback): Promise<void>
  /** Takes an own message back within two minutes; bots hear nothing of it. */
  recall(message: { messageId: string; from: string }): Promise<void>
}
