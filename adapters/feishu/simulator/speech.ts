/** What people do in chats, as their clients would. */

import { clickCard } from './click.ts'
import { impossible } from './click-target.ts'
import type { ForeignFile, PostPart, SayOptions, Typed, UserControl } from './control.ts'
import { storeResource } from './files.ts'
import { pushMessage, pushRecall } from './hearing.ts'
import type { JsonObject } from './json.ts'
import { createMentions, type MentionList, partyOf, typedText } from './mentions.ts'
import { mayForward } from './message-send.ts'
import { addMessage, changed, currentContent, type NewMessage } from './messages.ts'
import { appOf, chatOf, directChat, eventIds, nameOf, openIdOf, userOf } from './people.ts'
import type { Platform } from './platform.ts'
import { addReaction, removeReaction } from './reactions.ts'
import { makeDirect } from './rooms.ts'
import type { Chat, Mention, Message, Party } from './state.ts'

export function createUserControl(platform: Platform): UserControl {
  const { state } = platform
  const put = (
    chatId: string,
    userId: string,
    type: string,
    content: unknown,
    options: SayOptions & {
      mentions?: readonly Mention[]
      children?: readonly Message[]
      forwardedFrom?: string
    } = {},
  ): string => speak(platform, chatId, userId, { type, content, options })
  const keep = (userId: string, kind: 'image' | 'file', type: string, file: ForeignFile): string =>
    storeResource(state, {
      kind,
      type,
      name: file.name,
      bytes: file.bytes,
      owner: { kind: 'user', id: userId },
    }).key

  return {
    say: (chatId, userId, text, options) => {
      const mentions = createMentions(state)
      const content = { text: typedText(state, chatOf(state, chatId), text, mentions) }
      return put(chatId, userId, 'text', content, { ...options, mentions: mentions.list })
    },
    sayPost: (chatId, userId, post, options) => {
      const mentions = createMentions(state)
      const content = post.content.map((paragraph) =>
        paragraph.map((part) => typedPart(platform, userId, part, mentions)),
      )
      return put(
        chatId,
        userId,
        'post',
        { title: post.title ?? '', content },
        { ...options, mentions: mentions.list },
      )
    },
    sendImage: (chatId, userId, image, options) =>
      put(chatId, userId, 'image', { image_key: keep(userId, 'image', 'message', image) }, options),
    sendFile: (chatId, userId, file, options) =>
      put(
        chatId,
        userId,
        'file',
        { file_key: keep(userId, 'file', 'stream', file), file_name: file.name },
        options,
      ),
    sendAudio: (chatId, userId, audio, options) =>
      put(
        chatId,
        userId,
        'audio',
        { file_key: keep(userId, 'file', 'opus', audio), duration: audio.ms },
        options,
      ),
    sendMedia: (chatId, userId, video, options) => {
      const content = {
        file_key: keep(userId, 'file', 'mp4', video),
        image_key: '',
        file_name: video.name,
        duration: video.ms,
      }
      return put(chatId, userId, 'media', content, options)
    },
    sendSticker: (chatId, userId, options) =>
      put(
        chatId,
        userId,
        'sticker',
        { file_key: keep(userId, 'file', 'sticker', { name: 'sticker', bytes: new Uint8Array([1]) }) },
        options,
      ),
    forwardBundle: (chatId, userId, ids) =>
      put(
        chatId,
        userId,
        'merge_forward',
        { content: 'Merged and Forwarded Message' },
        { children: ids.map((id) => bundled(platform, id, chatId)) },
      ),
    shareChat: (chatId, userId, shared) => put(chatId, userId, 'share_chat', { chat_id: shared }),
    shareUser: (chatId, userId, shared) => {
      const [appId = ''] = chatOf(state, chatId).bots
      return put(chatId, userId, 'share_user', {
        user_id: openIdOf(state, { kind: 'user', id: shared }, appId),
      })
    },
    sendRaw: put,
    forward: (messageId, userId, toChatId) => {
      const message = requireOwn(platform, messageId)
      if (!mayForward(platform, message)) throw impossible('This card cannot be forwarded.')
      const options = { mentions: message.mentions, forwardedFrom: message.messageId }
      return put(toChatId, userId, message.type, currentContent(state, message), options)
    },
    edit: (messageId, userId, text) => editText(platform, messageId, userId, text),
    recall: (messageId, userId) => recallMessage(platform, messageId, userId),
    react: (messageId, userId, emoji) =>
      void addReaction(platform, requireOwn(platform, messageId), { kind: 'user', id: userId }, emoji),
    unreact: (messageId, userId, emoji) => {
      const message = requireOwn(platform, messageId)
      const reaction = message.reactions.find((one) => one.emoji === emoji && one.party.id === userId)
      if (!reaction) throw impossible('The person has not reacted with this emoji.')
      removeReaction(platform, message, reaction)
    },
    enterDirect: (userId, appId) => enterDirect(platform, userId, appId),
    pressMenu: (userId, appId, eventKey) => {
      const app = appOf(state, appId)
      const operator = {
        operator_name: userOf(state, userId).name,
        operator_id: eventIds(state, { kind: 'user', id: userId }, app),
      }
      platform.delivery.event(app, 'application.bot.menu_v6', {
        operator,
        event_key: eventKey,
        timestamp: state.clock.now(),
      })
    },
    click: (options) => clickCard(platform, options),
  }
}

function speak(
  platform: Platform,
  chatId: string,
  userId: string,
  said: {
    type: string
    content: unknown
    options: SayOptions & Pick<Partial<NewMessage>, 'mentions' | 'children' | 'forwardedFrom'>
  },
): string {
  const chat = chatOf(platform.state, chatId)
  requirePresent(chat, userId)
  const { replyTo, inTopic, ...rest } = said.options
  const parent = replyTo === undefined ? {} : { parent: requireOwn(platform, replyTo) }
  const message = addMessage(platform.state, {
    chat,
    sender: { kind: 'user', id: userId },
    type: said.type,
    content: said.content,
    ...rest,
    ...parent,
    ...(inTopic === undefined ? {} : { inTopic }),
  })
  pushMessage(platform, chat, message)
  return message.messageId
}

function requirePresent(chat: Chat, userId: string): void {
  if (chat.disbanded) throw impossible('The chat is disbanded.')
  if (!chat.members.has(userId)) throw impossible(`${userId} is not in the chat.`)
}

function requireOwn(platform: Platform, messageId: string): Message {
  const message = platform.state.messages.get(messageId)
  if (!message || message.recalled) throw impossible(`There is no message ${messageId} (any more).`)
  return message
}

function typedPart(platform: Platform, userId: string, part: PostPart, mentions: MentionList): JsonObject {
  const { state } = platform
  const owner: Party = { kind: 'user', id: userId }
  switch (part.tag) {
    case 'at': {
      const party = partyOf(state, part.at)
      return { tag: 'at', user_id: mentions.add(party), user_name: nameOf(state, party) }
    }
    case 'img':
      return {
        tag: 'img',
        image_key: storeResource(state, { kind: 'image', type: 'message', ...part.file, owner }).key,
      }
    case 'media':
      return {
        tag: 'media',
        file_key: storeResource(state, { kind: 'file', type: 'mp4', ...part.file, owner }).key,
        image_key: '',
      }
    default:
      return { ...part }
  }
}

/** A copy of a message inside a bundle: readable, but its files are not. */
function bundled(platform: Platform, messageId: string, chatId: string): Message {
  const original = requireOwn(platform, messageId)
  const copy: Message = {
    ...original,
    messageId: platform.state.ids.make('om_'),
    chatId,
    bundled: true,
    reactions: [],
  }
  platform.state.messages.set(copy.messageId, copy)
  return copy
}

function editText(platform: Platform, messageId: string, userId: string, text: Typed): void {
  const message = requireOwn(platform, messageId)
  if (message.sender.id !== userId || message.type !== 'text')
    throw impossible('Only own text messages can be edited.')
  const chat = chatOf(platform.state, message.chatId)
  const mentions = createMentions(platform.state)
  message.content = JSON.stringify({ text: typedText(platform.state, chat, text, mentions) })
  message.mentions = mentions.list
  message.edits++
  message.updatedAt = platform.state.clock.now()
  changed(platform.state, message)
  if (platform.state.settings.editsDelivered) pushMessage(platform, chat, message)
}

function recallMessage(platform: Platform, messageId: string, userId: string): void {
  const message = requireOwn(platform, messageId)
  const chat = chatOf(platform.state, message.chatId)
  if (message.sender.id !== userId && chat.owner !== userId)
    throw impossible('Only the sender or the owner of the group can recall.')
  message.recalled = true
  changed(platform.state, message)
  pushRecall(platform, chat, message, { kind: 'user', id: userId })
}

function enterDirect(platform: Platform, userId: string, appId: string): string {
  const { state } = platform
  const app = appOf(state, appId)
  const chat = directChat(state, userId, appId) ?? makeDirect(state, userOf(state, userId), app)
  platform.delivery.event(app, 'im.chat.access_event.bot_p2p_chat_entered_v1', {
    chat_id: chat.chatId,
    operator_id: eventIds(state, { kind: 'user', id: userId }, app),
    last_message_id: state.order.get(chat.chatId)?.at(-1) ?? '',
    last_message_create_time: String(state.clock.now()),
  })
  return chat.chatId
}
