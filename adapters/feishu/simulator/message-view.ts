/** A message as the API returns it and as an event carries it; the two differ. */
import { lossyCard } from './card-text.ts'
import type { JsonObject } from './json.ts'
import { eventMentions, restMentions } from './mentions.ts'
import { currentCard } from './messages.ts'
import { eventIds, openIdOf, tenantOf } from './people.ts'
import type { App, Chat, Message, State } from './state.ts'

/** How much a view shows. */
export interface ViewOptions {
  /** `card_msg_content_type`: the card itself instead of its lossy form. */
  readonly fullCards?: boolean
  /** Bundle that the message belongs to. */
  readonly bundleId?: string
}

function contentText(state: State, message: Message, fullCards: boolean): string {
  if (message.recalled) return JSON.stringify({ text: 'This message was recalled' })
  if (message.type !== 'interactive') return message.content
  const card = currentCard(state, message)
  return JSON.stringify(fullCards ? card : lossyCard(card))
}

function relations(message: Message, withThread: boolean): JsonObject {
  return {
    ...(message.rootId === undefined ? {} : { root_id: message.rootId }),
    ...(message.parentId === undefined ? {} : { parent_id: message.parentId }),
    ...(message.threadId === undefined || !withThread ? {} : { thread_id: message.threadId }),
  }
}

/** `items[]` of GET and the `data` of create, reply and update. */
export function restMessage(state: State, app: App, message: Message, options: ViewOptions = {}): JsonObject {
  const isUser = message.sender.kind === 'user'
  const mentions = restMentions(state, app, message.mentions)
  return {
    message_id: message.messageId,
    ...relations(message, true),
    msg_type: message.type,
    create_time: String(message.createdAt),
    update_time: String(message.updatedAt),
    deleted: message.recalled,
    updated: message.edits > 0,
    chat_id: message.chatId,
    sender: {
      id: isUser ? openIdOf(state, message.sender, app.appId) : message.sender.id,
      id_type: isUser ? 'open_id' : 'app_id',
      sender_type: isUser ? 'user' : 'app',
      tenant_key: tenantOf(state, message.sender),
    },
    body: { content: contentText(state, message, options.fullCards === true) },
    ...(mentions.length > 0 ? { mentions } : {}),
    ...(options.bundleId === undefined ? {} : { upper_message_id: options.bundleId }),
  }
}

/** `event` of `im.message.receive_v1` for one app. */
export function receivedMessage(state: State, app: App, chat: Chat, message: Message): JsonObject {
  const mentions = eventMentions(state, app, message.mentions)
  return {
    sender: {
      sender_id: eventIds(state, message.sender, app),
      sender_type: message.sender.kind === 'user' ? 'user' : state.settings.botSenderType,
      tenant_key: tenantOf(state, message.sender),
    },
    message: {
      message_id: message.messageId,
      ...relations(message, state.settings.topicEventsCarryThreadId),
      create_time: String(message.createdAt),
      update_time: String(message.updatedAt),
      chat_id: message.chatId,
      chat_type: chat.mode === 'p2p' ? 'p2p' : 'group',
      message_type: message.type,
      content: contentText(state, message, false),
      ...(mentions.length > 0 ? { mentions } : {}),
    },
  }
}
