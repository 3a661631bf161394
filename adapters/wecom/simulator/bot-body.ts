/** The JSON of an AI bot's callbacks, the same in both transports (doc 100719, 101027). Media become fresh addresses. */

import type { StoredMessage } from './chats.ts'
import { keyBytes } from './cipher.ts'
import type { CorpBot } from './corp.ts'
import { isGroup } from './place.ts'
import type { FileView } from './view.ts'
import type { World } from './world.ts'

type Json = Record<string, unknown>

/** Long connection: an own key per address, every second one without its `=`. URL mode: the bot's EncodingAESKey. */
function mediaField(world: World, bot: CorpBot, file: FileView): Json {
  if (bot.callback) {
    return { url: world.baseUrl + world.media.publish(file.bytes, file.name, keyBytes(bot.callback.aesKey)) }
  }
  const key = world.media.entropy(32)
  const base64 = key.toString('base64')
  const aeskey = (key[0] ?? 0) % 2 === 0 ? base64 : base64.replace(/=+$/, '')
  return { url: world.baseUrl + world.media.publish(file.bytes, file.name, key), aeskey }
}

/** `{ msgtype, [msgtype]: … }` of any stored content; what the bot itself wrote is quoted as text. */
function contentBody(world: World, bot: CorpBot, content: StoredMessage['content']): Json {
  switch (content.type) {
    case 'text':
    case 'markdown':
    case 'stream':
      return { msgtype: 'text', text: { content: content.text } }
    case 'voice':
      return { msgtype: 'voice', voice: { content: content.transcript ?? '' } }
    case 'file':
    case 'image':
    case 'video':
      return { msgtype: content.type, [content.type]: mediaField(world, bot, content.file) }
    case 'mixed':
      return {
        msgtype: 'mixed',
        mixed: {
          msg_item: content.parts.map((part) =>
            part.type === 'text'
              ? { msgtype: 'text', text: { content: part.text } }
              : { msgtype: 'image', image: mediaField(world, bot, part.file) },
          ),
        },
      }
    case 'card':
      return { msgtype: 'text', text: { content: '[模板卡片]' } }
    case 'news':
      return { msgtype: 'text', text: { content: content.articles.map((one) => one.title).join('\n') } }
    case 'recalled':
      return { msgtype: 'text', text: { content: '' } }
    default:
      return content satisfies never
  }
}

/** Fields that every message and event shares. */
export function callbackHead(world: World, bot: CorpBot, chat: string, userid: string): Json {
  const foreign = world.org.member(userid)?.foreign
  return {
    msgid: world.random.id(20),
    create_time: world.seconds(),
    aibotid: bot.botId,
    ...(isGroup(world, chat) ? { chatid: chat, chattype: 'group' } : { chattype: 'single' }),
    from: { userid, ...(foreign === undefined ? {} : { corpid: foreign }) },
  }
}

/** A message callback's body, `response_url` excepted. */
export function messageBody(world: World, bot: CorpBot, message: StoredMessage, userid: string): Json {
  const quoted = message.quoteId === undefined ? undefined : world.chats.find(message.quoteId)
  return {
    ...callbackHead(world, bot, message.chat, userid),
    ...contentBody(world, bot, message.content),
    ...(quoted ? { quote: contentBody(world, bot, quoted.content) } : {}),
  }
}
