/** What people do to messages and bots beside writing. */
import { clickCard } from './click.ts'
import { impossible } from './click-target.ts'
import type { Typed, UserControl } from './control.ts'
import { pushMessage, pushRecall } from './hearing.ts'
import { createMentions, typedText } from './mentions.ts'
import { changed } from './messages.ts'
import { appOf, chatOf, directChat, eventIds, userOf } from './people.ts'
import type { Platform } from './platform.ts'
import { addReaction, removeReaction } from './reactions.ts'
import { makeDirect } from './rooms.ts'
import { createSpeech, requireVisible } from './speech.ts'

/** Everything people do. */
export function createUserControl(platform: Platform): UserControl {
  return {
    ...createSpeech(platform),
    edit: (messageId, userId, text) => editText(platform, messageId, userId, text),
    recall: (messageId, userId) => recallMessage(platform, messageId, userId),
    react: (messageId, userId, emoji) => {
      addReaction(platform, requireVisible(platform, messageId), { kind: 'user', id: userId }, emoji)
    },
    unreact: (messageId, userId, emoji) => {
      const message = requireVisible(platform, messageId)
      const reaction = message.reactions.find((one) => one.emoji === emoji && one.party.id === userId)
      if (!reaction) throw impossible('The person has not reacted with this emoji.')
      removeReaction(platform, message, reaction)
    },
    enterDirect: (userId, appId) => enterDirect(platform, userId, appId),
    pressMenu: (userId, appId, eventKey) => pressMenu(platform, userId, appId, eventKey),
    click: (options) => clickCard(platform, options),
  }
}

function editText(platform: Platform, messageId: string, userId: string, text: Typed): void {
  const message = requireVisible(platform, messageId)
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
  const message = requireVisible(platform, messageId)
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

function pressMenu(platform: Platform, userId: string, appId: string, eventKey: string): void {
  const { state } = platform
  const app = appOf(state, appId)
  const operator = {
    operator_name: userOf(state, userId).name,
    operator_id: eventIds(state, { kind: 'user', id: userId }, app),
  }
  const event = { operator, event_key: eventKey, timestamp: state.clock.now() }
  platform.delivery.event(app, 'application.bot.menu_v6', event)
}
