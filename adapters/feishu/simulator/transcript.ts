/** What people see, and what went over the wire: the read side of the control interface. */

import { cardVersion } from './card-tree.ts'
import { isStreaming } from './cardkit.ts'
import type {
  ChatView,
  DeliveryEntry,
  RequestEntry,
  TranscriptMessage,
  TranscriptSender,
  ViewControl,
} from './control.ts'
import { currentCard, currentContent, messageText, resourceKeys } from './messages.ts'
import { chatOf, nameOf } from './people.ts'
import type { Platform } from './platform.ts'
import type { Chat, Message, Party, Reaction, State } from './state.ts'
import { appInfo, userInfo } from './tenant.ts'

/** The read side over a platform. */
export function createViewControl(platform: Platform): ViewControl {
  const { state, journal } = platform
  const requests = (): RequestEntry[] => journal.entries().filter((entry) => entry.kind === 'request')
  const deliveries = (): DeliveryEntry[] => journal.entries().filter((entry) => entry.kind === 'delivery')
  return {
    chats: () => [...state.chats.values()].map((chat) => chatView(state, chat)),
    chat: (chatId) => chatView(state, chatOf(state, chatId)),
    users: () => [...state.users.values()].map(userInfo),
    apps: () => [...state.apps.values()].map(appInfo),
    transcript: (chatId) =>
      (state.order.get(chatId) ?? []).flatMap((id) => {
        const message = state.messages.get(id)
        return message ? [messageView(platform, message)] : []
      }),
    message: (messageId) => {
      const message = state.messages.get(messageId)
      return message && messageView(platform, message)
    },
    onChange: (listener) => {
      state.listeners.add(listener)
      return () => state.listeners.delete(listener)
    },
    fileBytes: (key) => {
      const resource = state.resources.get(key)
      return resource && { name: resource.name, bytes: resource.bytes }
    },
    journal: () => journal.entries(),
    requests: (route) =>
      requests().filter(
        (entry) => route === undefined || entry.route === route || `${entry.method} ${entry.route}` === route,
      ),
    deliveries: (type) => deliveries().filter((entry) => type === undefined || entry.eventType === type),
    clearJournal: () => journal.clear(),
    idle: () => platform.delivery.idle(),
  }
}

function chatView(state: State, chat: Chat): ChatView {
  return {
    chatId: chat.chatId,
    name: chat.name,
    mode: chat.mode,
    members: [...chat.members].flatMap((id) => state.users.get(id) ?? []).map(userInfo),
    bots: [...chat.bots].flatMap((id) => state.apps.get(id) ?? []).map(appInfo),
    disbanded: chat.disbanded,
  }
}

function senderView(state: State, party: Party): TranscriptSender {
  const kind = party.kind === 'all' ? 'system' : party.kind
  return { kind, id: party.id, name: nameOf(state, party), avatarSeed: party.id }
}

function messageView(platform: Platform, message: Message): TranscriptMessage {
  const { state } = platform
  const content = currentContent(state, message)
  const entity = message.cardId === undefined ? undefined : state.cards.get(message.cardId)
  const card = {
    version: cardVersion(currentCard(state, message)),
    streaming: entity !== undefined && isStreaming(platform, entity),
    ...(entity ? { cardId: entity.cardId, sequence: entity.sequence } : {}),
  }
  return {
    messageId: message.messageId,
    chatId: message.chatId,
    sender: senderView(state, message.sender),
    type: message.type,
    content,
    text: messageText(state, message),
    ...(message.type === 'interactive' ? { card } : {}),
    fileKeys: resourceKeys(content),
    ...(message.rootId === undefined ? {} : { rootId: message.rootId }),
    ...(message.parentId === undefined ? {} : { parentId: message.parentId }),
    ...(message.threadId === undefined ? {} : { threadId: message.threadId }),
    recalled: message.recalled,
    edits: message.edits,
    reactions: reactionViews(state, message.reactions),
    createdAt: message.createdAt,
    updatedAt: message.updatedAt,
  }
}

function reactionViews(state: State, reactions: readonly Reaction[]): { emoji: string; by: string[] }[] {
  const groups = Map.groupBy(reactions, (one) => one.emoji)
  return [...groups].map(([emoji, list]) => ({ emoji, by: list.map((one) => nameOf(state, one.party)) }))
}
