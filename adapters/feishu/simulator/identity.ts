/** Who the bot is, which chats it is in and who is in them. */
import { chatOf, openIdOf } from './people.ts'
import { type Call, data, type Platform, type Reply, type Route } from './platform.ts'
import { invalidField, Refusal } from './refusal.ts'
import { needs } from './scopes.ts'
import type { Chat, User } from './state.ts'

const chats = '/open-apis/im/v1/chats'
const maxPage = 100

/** `bot/v3/info` and the calls about chats and their members. */
export function identityRoutes(platform: Platform): Route[] {
  return [
    { method: 'GET', path: '/open-apis/bot/v3/info', needs: needs.nothing, handle: botInfo },
    { method: 'GET', path: chats, needs: needs.chat, handle: (call) => listChats(platform, call) },
    {
      method: 'GET',
      path: `${chats}/:chat_id`,
      needs: needs.chat,
      handle: (call) => chatInfo(platform, call),
    },
    {
      method: 'GET',
      path: `${chats}/:chat_id/members`,
      needs: needs.members,
      handle: (call) => members(platform, call),
    },
    {
      method: 'GET',
      path: `${chats}/:chat_id/members/is_in_chat`,
      needs: needs.members,
      handle: (call) => data({ is_in_chat: requireChat(platform, call).bots.has(call.app.appId) }),
    },
  ]
}

function botInfo({ app }: Call): Reply {
  if (!app.bot) throw new Refusal(11205, 'app do not have bot', { status: 200 })
  const bot = {
    activate_status: app.published ? 2 : 0,
    app_name: app.name,
    avatar_url: '',
    ip_white_list: app.ipAllowList,
    open_id: app.botOpenId,
  }
  return { type: 'top', fields: { bot }, msg: 'ok' }
}

function requireChat(platform: Platform, call: Call): Chat {
  const id = call.params['chat_id'] ?? ''
  if (!platform.state.chats.has(id))
    throw new Refusal(232006, 'Your request specifies a chat_id which is invalid')
  const chat = chatOf(platform.state, id)
  if (chat.disbanded) throw new Refusal(232009, 'The chat has been dissolved')
  return chat
}

function requireOwnChat(platform: Platform, call: Call): Chat {
  const chat = requireChat(platform, call)
  if (!chat.bots.has(call.app.appId)) throw new Refusal(232011, 'Operator can NOT be out of the chat')
  return chat
}

function listChats(platform: Platform, call: Call): Reply {
  const own = [...platform.state.chats.values()].filter(
    (chat) => chat.mode !== 'p2p' && !chat.disbanded && chat.bots.has(call.app.appId),
  )
  return page(call, own, (chat) => ({
    chat_id: chat.chatId,
    name: chat.name,
    owner_id: ownerId(platform, call, chat),
    tenant_key: chat.tenantKey,
    external: isExternal(platform, chat),
    chat_status: 'normal',
  }))
}

function page<T>(
  call: Call,
  all: readonly T[],
  view: (one: T) => Record<string, unknown>,
  extra = {},
): Reply {
  const size = Number(call.query.get('page_size') ?? 20)
  if (!(size >= 1 && size <= maxPage)) throw invalidField('page_size', `the max value is ${maxPage}`)
  const start = Number(call.query.get('page_token') || 0)
  const more = start + size < all.length
  return data({
    items: all.slice(start, start + size).map(view),
    page_token: more ? String(start + size) : '',
    has_more: more,
    ...extra,
  })
}

function ownerId(platform: Platform, call: Call, chat: Chat): string {
  if (platform.state.apps.has(chat.owner)) return chat.owner
  return openIdOf(platform.state, { kind: 'user', id: chat.owner }, call.app.appId)
}

function isExternal(platform: Platform, chat: Chat): boolean {
  return [...chat.members].some((id) => platform.state.users.get(id)?.tenantKey !== chat.tenantKey)
}

function chatInfo(platform: Platform, call: Call): Reply {
  const chat = requireOwnChat(platform, call)
  return data({
    name: chat.name,
    avatar: '',
    description: '',
    owner_id: ownerId(platform, call, chat),
    owner_id_type: platform.state.apps.has(chat.owner) ? 'app_id' : 'open_id',
    user_manager_id_list: [],
    bot_manager_id_list: [],
    chat_mode: chat.mode,
    group_message_type: chat.mode === 'topic' ? 'thread' : 'chat',
    chat_type: chat.mode === 'p2p' ? 'p2p' : 'private',
    chat_tag: chat.mode === 'p2p' ? '' : 'inner',
    at_all_permission: chat.atAllAllowed ? 'all_members' : 'only_owner',
    moderation_permission: 'all_members',
    external: isExternal(platform, chat),
    tenant_key: chat.tenantKey,
    user_count: String(chat.members.size),
    bot_count: String(chat.bots.size),
    chat_status: 'normal',
    restricted_mode_setting: { status: chat.restricted },
  })
}

function members(platform: Platform, call: Call): Reply {
  const chat = requireOwnChat(platform, call)
  const type = call.query.get('member_id_type') ?? 'open_id'
  const users = [...chat.members].flatMap((id) => platform.state.users.get(id) ?? [])
  return page(
    call,
    users,
    (user) => ({
      member_id_type: type,
      member_id: memberId(platform, call, type, user),
      name: user.name,
      tenant_key: user.tenantKey,
    }),
    { member_total: users.length },
  )
}

function memberId(platform: Platform, call: Call, type: string, user: User): string {
  if (type === 'user_id') return user.userId
  if (type === 'union_id') return user.unionId
  return openIdOf(platform.state, { kind: 'user', id: user.userId }, call.app.appId)
}
