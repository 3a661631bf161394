/** Which bots hear what, and the events they get. */
import type { JsonObject } from './json.ts'
import { receivedMessage } from './message-view.ts'
import { eventIds, tenantOf } from './people.ts'
import type { Platform } from './platform.ts'
import { hearing } from './scopes.ts'
import type { App, Chat, Message, Party, Reaction } from './state.ts'

/** Pushes a new message to every bot of the chat that may hear it; bots never hear themselves. */
export function pushMessage(platform: Platform, chat: Chat, message: Message): void {
  for (const app of botsOf(platform, chat)) {
    if (message.sender.kind === 'bot' && message.sender.id === app.appId) continue
    if (!hears(platform, app, chat, message)) continue
    platform.delivery.event(
      app,
      'im.message.receive_v1',
      receivedMessage(platform.state, app, chat, message),
      message.messageId,
    )
  }
}

function botsOf(platform: Platform, chat: Chat): App[] {
  return [...chat.bots].flatMap((appId) => platform.state.apps.get(appId) ?? [])
}

function hears(platform: Platform, app: App, chat: Chat, message: Message): boolean {
  const mentioned = message.mentions.some((one) => one.party.kind === 'bot' && one.party.id === app.appId)
  if (message.sender.kind === 'bot') return mentioned && app.scopes.has(hearing.bots)
  if (chat.mode === 'p2p') return app.scopes.has(hearing.direct)
  if (app.scopes.has(hearing.everything)) return true
  if (!app.scopes.has(hearing.mention)) return false
  const all = message.mentions.some((one) => one.party.kind === 'all')
  return mentioned || (all && platform.state.settings.atAllDelivered)
}

/** Pushes an event to every bot of the chat but one. */
export function pushToBots(
  platform: Platform,
  chat: Chat,
  eventType: string,
  event: (app: App) => JsonObject,
  options: { except?: string; only?: string } = {},
): void {
  for (const app of botsOf(platform, chat)) {
    if (app.appId === options.except) continue
    if (options.only !== undefined && app.appId !== options.only) continue
    platform.delivery.event(app, eventType, event(app))
  }
}

/** Tells the bots of the chat, but not the one that recalled. */
export function pushRecall(platform: Platform, chat: Chat, message: Message, by: Party): void {
  const own = by.kind === message.sender.kind && by.id === message.sender.id
  const event = {
    message_id: message.messageId,
    chat_id: chat.chatId,
    recall_time: String(platform.state.clock.now()),
    recall_type: own ? 'message_owner' : 'group_owner',
  }
  pushToBots(
    platform,
    chat,
    'im.message.recalled_v1',
    () => event,
    by.kind === 'bot' ? { except: by.id } : {},
  )
}

/** Reactions of everybody, the app's own included: that is how loops begin. */
export function pushReaction(
  platform: Platform,
  chat: Chat,
  message: Message,
  reaction: Reaction,
  added: boolean,
): void {
  const type = added ? 'im.message.reaction.created_v1' : 'im.message.reaction.deleted_v1'
  pushToBots(platform, chat, type, (app) => ({
    message_id: message.messageId,
    reaction_type: { emoji_type: reaction.emoji },
    operator_type: reaction.party.kind === 'user' ? 'user' : 'app',
    ...(reaction.party.kind === 'user'
      ? { user_id: eventIds(platform.state, reaction.party, app) }
      : { app_id: reaction.party.id }),
    action_time: String(platform.state.clock.now()),
  }))
}

/** The body that bot-added, bot-deleted and disbanded events share. */
export function chatEvent(platform: Platform, chat: Chat, app: App, operator: Party): JsonObject {
  return {
    chat_id: chat.chatId,
    operator_id: eventIds(platform.state, operator, app),
    external: false,
    operator_tenant_key: tenantOf(platform.state, operator),
    name: chat.name,
    i18n_names: { zh_cn: chat.name, en_us: chat.name, ja_jp: chat.name },
  }
}
