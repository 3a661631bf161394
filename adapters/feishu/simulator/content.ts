/** Content that a bot sends: validated, and turned into the form that receivers get. */

import { type Accepted, checkMentions, ownResource } from './accepted.ts'
import { checkCard } from './card-check.ts'
import { isObject, type JsonObject, objectOf, parseJson, textOf } from './json.ts'
import { createMentions, sentText } from './mentions.ts'
import type { Platform } from './platform.ts'
import { postContent } from './post.ts'
import { invalidCard, invalidParam, Refusal } from './refusal.ts'
import type { App, Chat } from './state.ts'

const textBytes = 150 * 1024
const cardBytes = 30 * 1024

/** Throws the platform's refusal, or returns what receivers get. */
export function acceptContent(
  platform: Platform,
  app: App,
  chat: Chat,
  type: string,
  text: string,
  bodyBytes: number,
): Accepted {
  const content = parseJson(text)
  if (!isObject(content)) throw invalidParam('content is not in JSON format')
  checkBytes(type, text, bodyBytes)
  if (type === 'text') return withMentions(platform, app, chat, content)
  if (type === 'post') return postContent(platform, app, chat, content)
  if (type === 'interactive') return cardContent(platform, app, content)
  return { type, content: plainContent(platform, app, chat, type, content), mentions: [] }
}

function checkBytes(type: string, text: string, bodyBytes: number): void {
  const tooLong =
    type === 'text'
      ? bodyBytes > textBytes
      : ['post', 'interactive'].includes(type) && Buffer.byteLength(text) > cardBytes
  if (tooLong) throw new Refusal(230025, 'The length of the message content reaches its limit')
}

function withMentions(platform: Platform, app: App, chat: Chat, content: JsonObject): Accepted {
  const raw = content['text']
  if (typeof raw !== 'string' || raw === '') throw invalidParam('text is empty')
  const mentions = createMentions(platform.state)
  const text = sentText(platform.state, app, raw, mentions)
  checkMentions(chat, mentions.list)
  return { type: 'text', content: { text }, mentions: mentions.list }
}

function cardContent(platform: Platform, app: App, content: JsonObject): Accepted {
  if (content['type'] === 'template')
    throw invalidCard(200380, 'template does not exist', textOf(objectOf(content['data'])['template_id']))
  if (content['type'] !== 'card') {
    checkCard(platform.state, app, content)
    return { type: 'interactive', content, mentions: [] }
  }
  const cardId = textOf(objectOf(content['data'])['card_id'])
  const entity = platform.state.cards.get(cardId)
  if (!entity) throw invalidCard(200740, 'card does not exist', cardId)
  if (entity.appId !== app.appId) throw invalidCard(300311, 'the card belongs to another app', cardId)
  if (entity.messageId !== undefined) throw invalidCard(300120, 'the card entity was already sent', cardId)
  return { type: 'interactive', content: { type: 'card', data: { card_id: cardId } }, mentions: [], cardId }
}

const keyOf: Readonly<Record<string, 'image_key' | 'file_key'>> = {
  image: 'image_key',
  file: 'file_key',
  audio: 'file_key',
  media: 'file_key',
  sticker: 'file_key',
}

function plainContent(
  platform: Platform,
  app: App,
  chat: Chat,
  type: string,
  content: JsonObject,
): JsonObject {
  const key = keyOf[type]
  if (key) return resourceContent(platform, app, type, textOf(content[key]), content)
  if (type === 'share_chat' && platform.state.chats.has(textOf(content['chat_id']))) return content
  if (type === 'share_user' && platform.state.openIds.has(textOf(content['user_id']))) return content
  if (type === 'system' && chat.mode === 'p2p' && content['type'] === 'divider') return content
  throw invalidParam(`invalid content of msg_type ${type}`)
}

function resourceContent(
  platform: Platform,
  app: App,
  type: string,
  key: string,
  content: JsonObject,
): JsonObject {
  if (type === 'sticker') {
    if (!platform.state.resources.has(key)) throw invalidParam('invalid file_key')
    return { file_key: key }
  }
  const resource = ownResource(platform, app, type === 'image' ? 'image' : 'file', key)
  if (type === 'image') return { image_key: key }
  const wanted = type === 'audio' ? 'opus' : type === 'media' ? 'mp4' : ''
  const fits = wanted === '' ? resource.type !== 'mp4' && resource.type !== 'opus' : resource.type === wanted
  if (!fits) throw new Refusal(230055, 'The type of the file does not match the message type')
  if (type === 'audio') return { file_key: key, duration: 0 }
  const cover = textOf(content['image_key'])
  if (cover !== '') ownResource(platform, app, 'image', cover)
  return { file_key: key, file_name: resource.name, ...(cover === '' ? {} : { image_key: cover }) }
}

/** Message types that can be sent; others are refused with 230001. */
export const sendableTypes: ReadonlySet<string> = new Set([
  'text',
  'post',
  'image',
  'file',
  'audio',
  'media',
  'sticker',
  'interactive',
  'share_chat',
  'share_user',
  'system',
])
