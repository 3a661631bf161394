/** Keeping messages: making them, finding them, their topics. Knows no HTTP. */
import { cardText } from './card-text.ts'
import { type JsonObject, objectOf, parseJson, textOf } from './json.ts'
import { readText } from './mentions.ts'
import { Refusal } from './refusal.ts'
import { announce, type Chat, type Mention, type Message, type Party, type State } from './state.ts'

/** A message to be added. */
export interface NewMessage {
  readonly chat: Chat
  readonly sender: Party
  readonly type: string
  /** Content as a receiver gets it; for cards the card. */
  readonly content: unknown
  readonly mentions?: readonly Mention[]
  readonly parent?: Message
  readonly inTopic?: boolean
  readonly cardId?: string
  readonly forwardedFrom?: string
  readonly children?: readonly Message[]
}

/** Adds a message; a reply inside a topic stays there, and in a topic group each new message opens one. */
export function addMessage(state: State, init: NewMessage): Message {
  const now = state.clock.now()
  const threadId = topicOf(state, init)
  const message: Message = {
    messageId: state.ids.make('om_'),
    chatId: init.chat.chatId,
    type: init.type,
    sender: init.sender,
    createdAt: now,
    updatedAt: now,
    content: JSON.stringify(init.content),
    mentions: init.mentions ?? [],
    edits: 0,
    recalled: false,
    reactions: [],
    ...(init.parent
      ? { rootId: init.parent.rootId ?? init.parent.messageId, parentId: init.parent.messageId }
      : {}),
    ...(threadId === undefined ? {} : { threadId }),
    ...(init.cardId === undefined ? {} : { cardId: init.cardId }),
    ...(init.forwardedFrom === undefined ? {} : { forwardedFrom: init.forwardedFrom }),
    ...(init.children === undefined ? {} : { children: init.children }),
  }
  state.messages.set(message.messageId, message)
  const order = state.order.get(message.chatId) ?? []
  state.order.set(message.chatId, order)
  order.push(message.messageId)
  changed(state, message)
  return message
}

function topicOf(state: State, init: NewMessage): string | undefined {
  const { parent, chat } = init
  if (!parent) return chat.mode === 'topic' ? state.ids.make('omt_', 16) : undefined
  if (parent.threadId !== undefined || init.inTopic !== true) return parent.threadId
  parent.threadId = state.ids.make('omt_', 16)
  return parent.threadId
}

/** Tells live pages that a message looks different. */
export function changed(state: State, message: Message): void {
  announce(state, { type: 'message', chatId: message.chatId, messageId: message.messageId })
}

/** The message a path names; refuses with 99992354, 231003, and 230011 when recalled. */
export function requireMessage(state: State, id: string, options: { recalled?: boolean } = {}): Message {
  if (!id.startsWith('om_'))
    throw new Refusal(99992354, 'message_id is invalid', {
      violations: [{ field: 'message_id', description: 'must begin with om_' }],
    })
  const message = state.messages.get(id)
  if (!message) throw new Refusal(231003, 'The message is not found')
  if (message.recalled && options.recalled !== true) throw new Refusal(230011, 'The message was recalled')
  return message
}

/** Card of an interactive message as it is now. */
export function currentCard(state: State, message: Message): JsonObject {
  const entity = message.cardId === undefined ? undefined : state.cards.get(message.cardId)
  return entity?.card ?? objectOf(parseJson(message.content))
}

/** Content as people see it now. */
export function currentContent(state: State, message: Message): unknown {
  return message.type === 'interactive' ? currentCard(state, message) : parseJson(message.content)
}

/** The message in words, names instead of placeholders. */
export function messageText(state: State, message: Message): string {
  const content = objectOf(currentContent(state, message))
  if (message.type === 'interactive') return cardText(content)
  if (message.type === 'text') return readText(textOf(content['text']), message.mentions)
  if (message.type === 'post') return readText(postText(content), message.mentions)
  return textOf(content['file_name']) || `[${message.type}]`
}

function postText(content: JsonObject): string {
  const paragraphs = Array.isArray(content['content']) ? content['content'] : []
  const lines = paragraphs.map((paragraph: unknown) =>
    (Array.isArray(paragraph) ? paragraph : []).map((part: unknown) => partText(objectOf(part))).join(''),
  )
  return [textOf(content['title']), ...lines].filter((line) => line !== '').join('\n')
}

function partText(part: JsonObject): string {
  if (part['tag'] === 'at') return textOf(part['user_id'])
  if (part['tag'] === 'img') return '[image]'
  if (part['tag'] === 'media') return '[media]'
  if (part['tag'] === 'emotion') return `[${textOf(part['emoji_type'])}]`
  return textOf(part['text'])
}

/** Keys of files and images in a message's content, in order of appearance. */
export function resourceKeys(content: unknown): string[] {
  if (Array.isArray(content)) return content.flatMap(resourceKeys)
  return Object.entries(objectOf(content)).flatMap(([key, value]) => {
    const isKey = key === 'image_key' || key === 'file_key' || key === 'img_key'
    return isKey && typeof value === 'string' ? [value] : resourceKeys(value)
  })
}
