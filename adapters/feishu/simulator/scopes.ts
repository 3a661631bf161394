/** Permission names of the open platform and what each call needs. */

/** What the product asks an administrator for. Reading every group message is not among it. */
export const defaultScopes: readonly string[] = [
  'im:message',
  'im:message.p2p_msg:readonly',
  'im:message.group_at_msg:readonly',
  'im:message:readonly',
  'im:message:send_as_bot',
  'im:message:update',
  'im:message:recall',
  'im:message.reactions:read',
  'im:message.reactions:write_only',
  'im:resource',
  'im:chat:readonly',
  'im:chat.members:read',
  'im:chat.members:bot_access',
  'cardkit:card:read',
  'cardkit:card:write',
  'contact:user.base:readonly',
  'contact:contact.base:readonly',
  'contact:user.basic_profile:readonly',
  'contact:user.department:readonly',
  'contact:department.base:readonly',
  'contact:user.employee_id:readonly',
  'contact:user.id:readonly',
  'application:application:self_manage',
]

/** Any one of a set is enough. An empty set means that no permission is needed. */
export const needs = {
  nothing: [],
  send: ['im:message:send_as_bot', 'im:message'],
  update: ['im:message:update', 'im:message:send_as_bot', 'im:message'],
  recall: ['im:message:recall', 'im:message:send_as_bot', 'im:message'],
  read: ['im:message:readonly', 'im:message'],
  resource: ['im:resource', 'im:message:readonly', 'im:message'],
  upload: ['im:resource', 'im:resource:upload'],
  reactionsRead: ['im:message.reactions:read', 'im:message'],
  reactionsWrite: ['im:message.reactions:write_only', 'im:message'],
  chat: ['im:chat:read', 'im:chat:readonly', 'im:chat'],
  members: ['im:chat.members:read', 'im:chat:readonly', 'im:chat'],
  cardkit: ['cardkit:card:write'],
  contact: ['contact:contact.base:readonly', 'contact:user.base:readonly'],
  basicProfile: ['contact:user.basic_profile:readonly'],
  userId: ['contact:user.id:readonly'],
  department: ['contact:department.base:readonly'],
  self: ['application:application:self_manage'],
} as const satisfies Record<string, readonly string[]>

/** The permissions that let a bot hear messages. */
export const hearing = {
  direct: 'im:message.p2p_msg:readonly',
  mention: 'im:message.group_at_msg:readonly',
  bots: 'im:message.group_at_msg.include_bot:readonly',
  everything: 'im:message.group_msg',
} as const

/** Events that an app is subscribed to unless told otherwise. */
export const allEvents: readonly string[] = [
  'im.message.receive_v1',
  'im.message.recalled_v1',
  'im.message.message_read_v1',
  'im.message.reaction.created_v1',
  'im.message.reaction.deleted_v1',
  'im.chat.member.bot.added_v1',
  'im.chat.member.bot.deleted_v1',
  'im.chat.member.user.added_v1',
  'im.chat.member.user.deleted_v1',
  'im.chat.updated_v1',
  'im.chat.disbanded_v1',
  'im.chat.access_event.bot_p2p_chat_entered_v1',
  'application.bot.menu_v6',
]
