/** The developer's commands of the AI bot long connection, one handler each (doc 101463). */
import { z } from 'zod'
import type { BotOutput } from './bot-output.ts'
import { type CorpBot, directChat } from './corp.ts'
import { accept, refuse } from './refusal.ts'
import type { Uploads } from './uploads.ts'
import type { World } from './world.ts'

export interface Command {
  bot: CorpBot
  reqId: string
  body: unknown
}

/** Returns the `body` of the answer, if it has one. */
export type CommandHandler = (command: Command) => object | undefined

const REPLY_TYPES = ['stream', 'template_card', 'markdown', 'file', 'image', 'voice', 'video']
const PUSH_TYPES = ['markdown', 'template_card', 'file', 'image', 'voice', 'video']
const WELCOME_TYPES = ['text', 'template_card']

const sendSchema = z.looseObject({
  chatid: z.string().min(1),
  chat_type: z.union([z.literal(0), z.literal(1), z.literal(2)]).optional(),
})

/** The chat key of a proactive message; 93006 for an unknown chat or one where nobody spoke. */
function pushTarget(world: World, bot: CorpBot, body: unknown): string {
  const { chatid, chat_type: type = 0 } = accept(sendSchema, body)
  const group = type === 1 ? undefined : world.org.group(chatid)
  if (group && !group.bots.includes(bot.botId)) throw refuse(93008)
  const person = type === 2 ? undefined : world.org.member(chatid)
  const chat = group?.chatId ?? (person ? directChat(bot.botId, person.userid) : undefined)
  if (chat === undefined) throw refuse(93006)
  if (!world.spoken.has(`${bot.botId}|${chat}`))
    throw refuse(93006, 'nobody has messaged the bot in this chat')
  return chat
}

export function createCommands(
  world: World,
  output: BotOutput,
  uploads: Uploads,
): Map<string, CommandHandler> {
  const respond: CommandHandler = ({ bot, reqId, body }) => {
    const handle = world.handles.claim(bot.botId, reqId, 'message')
    const quoteId = handle.messageId
    output.place({ bot, chat: handle.chat, way: 'reply', allowed: REPLY_TYPES, body, quoteId })
    handle.used = true
    return undefined
  }
  const welcome: CommandHandler = ({ bot, reqId, body }) => {
    const handle = world.handles.claim(bot.botId, reqId, 'enter')
    output.place({ bot, chat: handle.chat, way: 'reply', allowed: WELCOME_TYPES, body })
    handle.used = true
    return undefined
  }
  const update: CommandHandler = ({ bot, reqId, body }) => {
    const handle = world.handles.claim(bot.botId, reqId, 'click')
    const message = handle.messageId === undefined ? undefined : world.chats.find(handle.messageId)
    if (!message) throw refuse(846605)
    output.updateCard(message, body)
    handle.used = true
    handle.click?.settle(true)
    return undefined
  }
  const push: CommandHandler = ({ bot, body }) => {
    const chat = pushTarget(world, bot, body)
    output.place({ bot, chat, way: 'push', allowed: PUSH_TYPES, body })
    return undefined
  }
  return new Map<string, CommandHandler>([
    ['ping', () => undefined],
    ['aibot_respond_msg', respond],
    ['aibot_respond_welcome_msg', welcome],
    ['aibot_respond_update_msg', update],
    ['aibot_send_msg', push],
    ['aibot_upload_media_init', ({ bot, body }) => uploads.init(bot.botId, body)],
    ['aibot_upload_media_chunk', ({ bot, body }) => uploads.chunk(bot.botId, body)],
    ['aibot_upload_media_finish', ({ bot, body }) => uploads.finish(bot.botId, body)],
  ])
}
