/** The messages of every chat as stored by the platform, and the view that each person has of them. */
import type { Clock, Random } from '../../../src/protocol/ports.ts'
import { paintCard } from './card-view.ts'
import type { Journal } from './journal.ts'
import type { ClickView, MessageContent, MessageView, Sender } from './view.ts'

export type RawCard = Record<string, unknown>

/** A card's versions: one for everybody, overridden for some viewers. */
export interface StoredCard {
  taskId: string | undefined
  raw: RawCard
  byViewer: Map<string, RawCard>
  /** `button.replace_name` or `replace_text` of an app update, by viewer. */
  replaceText: Map<string, string>
}

export interface StoredMessage {
  id: string
  chat: string
  sender: Sender
  sentAt: number
  updatedAt: number
  /** What is shown unless the message is a card. */
  content: Exclude<MessageContent, { type: 'card' }> | { type: 'card'; stored: StoredCard }
  quoteId: string | undefined
  feedbackId: string | undefined
}

export interface NewMessage {
  chat: string
  sender: Sender
  content: StoredMessage['content']
  quoteId?: string | undefined
  feedbackId?: string | undefined
}

export interface Chats {
  post(message: NewMessage): StoredMessage
  /** Marks a message as changed and tells the listeners. */
  touch(message: StoredMessage): void
  find(id: string): StoredMessage | undefined
  transcript(chat: string, viewer?: string): MessageView[]
  message(id: string, viewer?: string): MessageView | undefined
  cardFor(message: StoredMessage, viewer: string): ClickView['card']
}

/** A new stored card. */
export const storeCard = (raw: RawCard): StoredCard => ({
  taskId: typeof raw.task_id === 'string' ? raw.task_id : undefined,
  raw,
  byViewer: new Map(),
  replaceText: new Map(),
})

function plainText(content: StoredMessage['content']): string {
  switch (content.type) {
    case 'text':
    case 'markdown':
    case 'stream':
      return content.text
    case 'card':
      return paintCard(content.stored.raw).title ?? ''
    case 'mixed':
      return content.parts.map((part) => (part.type === 'text' ? part.text : `[${part.file.name}]`)).join('')
    case 'news':
      return content.articles.map((article) => article.title).join(' ')
    case 'recalled':
      return ''
    default:
      return `[${content.file.name}]`
  }
}

function versionFor(stored: StoredCard, viewer: string | undefined): ClickView['card'] {
  const id = viewer?.toLowerCase()
  const raw = (id === undefined ? undefined : stored.byViewer.get(id)) ?? stored.raw
  const replaceText = id === undefined ? undefined : stored.replaceText.get(id)
  const card = paintCard(raw)
  return replaceText === undefined ? card : { ...card, replaceText }
}

export function createChats(deps: { clock: Clock; random: Random; journal: Journal }): Chats {
  const messages = new Map<string, StoredMessage>()
  const byChat = new Map<string, StoredMessage[]>()
  const view = (message: StoredMessage, viewer: string | undefined): MessageView => {
    const quoted = message.quoteId === undefined ? undefined : messages.get(message.quoteId)
    return {
      id: message.id,
      chat: message.chat,
      sender: message.sender,
      sentAt: message.sentAt,
      updatedAt: message.updatedAt,
      content:
        message.content.type === 'card'
          ? { type: 'card', card: versionFor(message.content.stored, viewer) }
          : { ...message.content },
      ...(quoted ? { quote: plainText(quoted.content), quoteId: quoted.id } : {}),
      feedback: message.feedbackId !== undefined,
    }
  }
  return {
    post: (input) => {
      const now = deps.clock.now()
      const message: StoredMessage = {
        id: `m-${deps.random.id(10)}`,
        sentAt: now,
        updatedAt: now,
        chat: input.chat,
        sender: input.sender,
        content: input.content,
        quoteId: input.quoteId,
        feedbackId: input.feedbackId,
      }
      messages.set(message.id, message)
      byChat.set(message.chat, [...(byChat.get(message.chat) ?? []), message])
      deps.journal.changed({ type: 'message', messageId: message.id })
      return message
    },
    touch: (message) => {
      message.updatedAt = deps.clock.now()
      deps.journal.changed({ type: 'message', messageId: message.id })
    },
    find: (id) => messages.get(id),
    message: (id, viewer) => {
      const message = messages.get(id)
      return message ? view(message, viewer) : undefined
    },
    transcript: (chat, viewer) => (byChat.get(chat) ?? []).map((message) => view(message, viewer)),
    cardFor: (message, viewer) =>
      message.content.type === 'card' ? versionFor(message.content.stored, viewer) : paintCard({}),
  }
}
