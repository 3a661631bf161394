/** What people write and send, as their clients would. */
import { impossible } from './click-target.ts'
import type { ForeignFile, PostPart, SayOptions, UserControl } from './control.ts'
import { storeResource } from './files.ts'
import { pushMessage } from './hearing.ts'
import type { JsonObject } from './json.ts'
import { createMentions, type MentionList, partyOf, typedText } from './mentions.ts'
import { mayForward } from './message-send.ts'
import { addMessage, currentContent, type NewMessage } from './messages.ts'
import { chatOf, nameOf, openIdOf } from './people.ts'
import type { Platform } from './platform.ts'
import type { Message, Party } from './state.ts'

type Speech = Omit<
  UserControl,
  'click' | 'edit' | 'recall' | 'react' | 'unreact' | 'enterDirect' | 'pressMenu'
>

type Extra = SayOptions & Pick<Partial<NewMessage>, 'mentions' | 'children' | 'forwardedFrom'>

type Put = (chatId: string, userId: string, type: string, content: unknown, options?: Extra) => string

/** The part of the control interface that makes messages. */
export function createSpeech(platform: Platform): Speech {
  const { state } = platform
  const put: Put = (chatId, userId, type, content, options = {}) =>
    speak(platform, chatId, userId, { type, content, options })
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
    ...createFileSpeech(platform, put),
    forwardBundle: (chatId, userId, ids) => {
      const children = ids.map((id) => bundled(platform, id, chatId))
      return put(chatId, userId, 'merge_forward', { content: 'Merged and Forwarded Message' }, { children })
    },
    shareChat: (chatId, userId, shared) => put(chatId, userId, 'share_chat', { chat_id: shared }),
    shareUser: (chatId, userId, shared) => {
      const [appId = ''] = chatOf(state, chatId).bots
      return put(chatId, userId, 'share_user', {
        user_id: openIdOf(state, { kind: 'user', id: shared }, appId),
      })
    },
    sendRaw: put,
    forward: (messageId, userId, toChatId) => {
      const message = requireVisible(platform, messageId)
      if (!mayForward(platform, message)) throw impossible('This card cannot be forwarded.')
      const options = { mentions: message.mentions, forwardedFrom: message.messageId }
      return put(toChatId, userId, message.type, currentContent(state, message), options)
    },
  }
}

type FileSpeech = Pick<Speech, 'sendImage' | 'sendFile' | 'sendAudio' | 'sendMedia' | 'sendSticker'>

function createFileSpeech({ state }: Platform, put: Put): FileSpeech {
  const keep = (userId: string, kind: 'image' | 'file', type: string, { name, bytes }: ForeignFile): string =>
    storeResource(state, { kind, type, name, bytes, owner: { kind: 'user', id: userId } }).key
  return {
    sendImage: (chatId, userId, image, options) =>
      put(chatId, userId, 'image', { image_key: keep(userId, 'image', 'message', image) }, options),
    sendFile: (chatId, userId, file, options) => {
      const content = { file_key: keep(userId, 'file', 'stream', file), file_name: file.name }
      return put(chatId, userId, 'file', content, options)
    },
    sendAudio: (chatId, userId, audio, options) =>
      put(
        chatId,
        userId,
        'audio',
        { file_key: keep(userId, 'file', 'opus', audio), duration: audio.ms },
        options,
      ),
    sendMedia: (chatId, userId, video, options) => {
      const file_key = keep(userId, 'file', 'mp4', video)
      const content = { file_key, image_key: '', file_name: video.name, duration: video.ms }
      return put(chatId, userId, 'media', content, options)
    },
    sendSticker: (chatId, userId, options) => {
      const file_key = keep(userId, 'file', 'sticker', { name: 'sticker', bytes: new Uint8Array([1]) })
      return put(chatId, userId, 'sticker', { file_key }, options)
    },
  }
}

function speak(
  platform: Platform,
  chatId: string,
  userId: string,
  said: { type: string; content: unknown; options: Extra },
): string {
  const chat = chatOf(platform.state, chatId)
  if (chat.disbanded) throw impossible('The chat is disbanded.')
  if (!chat.members.has(userId)) throw impossible(`${userId} is not in the chat.`)
  const { replyTo, inTopic, ...rest } = said.options
  const parent = replyTo === undefined ? {} : { parent: requireVisible(platform, replyTo) }
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

/** The message, if people can still see it; throws otherwise. */
export function requireVisible(platform: Platform, messageId: string): Message {
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
    case 'img': {
      const { key } = storeResource(state, { kind: 'image', type: 'message', ...part.file, owner })
      return { tag: 'img', image_key: key }
    }
    case 'media': {
      const { key } = storeResource(state, { kind: 'file', type: 'mp4', ...part.file, owner })
      return { tag: 'media', file_key: key, image_key: '' }
    }
    default:
      return { ...part }
  }
}

/** A copy of a message inside a bundle: readable, but its files are not. */
function bundled(platform: Platform, messageId: string, chatId: string): Message {
  const original = requireVisible(platform, messageId)
  const own = { messageId: platform.state.ids.make('om_'), chatId, bundled: true, reactions: [] }
  const copy: Message = { ...original, ...own }
  platform.state.messages.set(copy.messageId, copy)
  return copy
}
