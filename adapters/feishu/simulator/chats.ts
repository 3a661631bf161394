/** What an administrator or owner does to chats, and the events that bots get of it. */
import type { ChatOptions, TenantControl } from './control.ts'
import { chatEvent, pushToBots } from './hearing.ts'
import { appOf, chatOf, directChat, eventIds, userOf } from './people.ts'
import type { Platform } from './platform.ts'
import { makeChat, makeDirect } from './rooms.ts'
import { announce, type Chat, type Party } from './state.ts'

type ChatControl = Pick<
  TenantControl,
  | 'createChat'
  | 'updateChat'
  | 'openDirect'
  | 'addMember'
  | 'removeMember'
  | 'addBot'
  | 'removeBot'
  | 'disband'
>

/** The part of the control interface that is about chats. */
export function createChatControl(platform: Platform): ChatControl {
  const { state } = platform
  return {
    createChat: (options) => {
      const chat = makeGroup(platform, options)
      tell(platform, chat, 'im.chat.member.bot.added_v1', {})
      return chat.chatId
    },
    openDirect: (userId, appId) =>
      (directChat(state, userId, appId) ?? makeDirect(state, userOf(state, userId), appOf(state, appId)))
        .chatId,
    updateChat: (chatId, change) => {
      const chat = chatOf(state, chatId)
      applyChat(chat, change)
      tell(platform, chat, 'im.chat.updated_v1', {})
    },
    addMember: (chatId, userId) => {
      const chat = chatOf(state, chatId)
      chat.members.add(userOf(state, userId).userId)
      tellOfMember(platform, chat, 'im.chat.member.user.added_v1', userId)
    },
    removeMember: (chatId, userId) => {
      const chat = chatOf(state, chatId)
      chat.members.delete(userId)
      tellOfMember(platform, chat, 'im.chat.member.user.deleted_v1', userId)
    },
    addBot: (chatId, appId, operator) => {
      const chat = chatOf(state, chatId)
      chat.bots.add(appOf(state, appId).appId)
      tell(platform, chat, 'im.chat.member.bot.added_v1', { operator, only: appId })
    },
    removeBot: (chatId, appId, operator) => {
      const chat = chatOf(state, chatId)
      tell(platform, chat, 'im.chat.member.bot.deleted_v1', { operator, only: appId })
      chat.bots.delete(appId)
    },
    disband: (chatId, operator) => {
      const chat = chatOf(state, chatId)
      chat.disbanded = true
      tell(platform, chat, 'im.chat.disbanded_v1', { operator })
    },
  }
}

function makeGroup(platform: Platform, options: ChatOptions): Chat {
  const { state } = platform
  const { members, bots = [], name = '项目群', mode = 'group' } = options
  const owner = options.owner ?? members[0] ?? ''
  for (const id of members) userOf(state, id)
  for (const id of bots) appOf(state, id)
  const tenantKey = state.users.get(owner)?.tenantKey ?? state.defaultTenant
  const chat = makeChat(state, { name, mode, tenantKey, members, bots, owner })
  applyChat(chat, options)
  return chat
}

function applyChat(chat: Chat, change: Parameters<TenantControl['updateChat']>[1]): void {
  const keys = ['name', 'owner', 'atAllAllowed', 'topicsAllowed', 'muted', 'restricted'] as const
  const given = keys.flatMap((key) => (change[key] === undefined ? [] : [[key, change[key]]]))
  Object.assign(chat, Object.fromEntries(given))
}

function operatorOf(chat: Chat, userId: string | undefined): Party {
  return { kind: 'user', id: userId ?? chat.owner }
}

function tell(
  platform: Platform,
  chat: Chat,
  eventType: string,
  { operator, only }: { operator?: string | undefined; only?: string },
): void {
  const by = operatorOf(chat, operator)
  const to = only === undefined ? {} : { only }
  pushToBots(platform, chat, eventType, (app) => chatEvent(platform, chat, app, by), to)
  announce(platform.state, { type: 'chat', chatId: chat.chatId })
}

function tellOfMember(platform: Platform, chat: Chat, eventType: string, userId: string): void {
  const { name, tenantKey } = userOf(platform.state, userId)
  pushToBots(platform, chat, eventType, (app) => ({
    ...chatEvent(platform, chat, app, operatorOf(chat, undefined)),
    users: [
      { name, tenant_key: tenantKey, user_id: eventIds(platform.state, { kind: 'user', id: userId }, app) },
    ],
  }))
  announce(platform.state, { type: 'chat', chatId: chat.chatId })
}
