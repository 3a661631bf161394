/** One thing the product does, and the permissions of which any one is enough for it. */
interface Need {
  readonly name: string
  readonly anyOf: readonly string[]
}

/**
 * What an administrator grants for everything to work. `im:message.group_msg` is not asked for: it is
 * sensitive, and mentions are enough.
 */
export const NEEDS: readonly Need[] = [
  { name: 'feishu.need.direct', anyOf: ['im:message.p2p_msg:readonly', 'im:message.p2p_msg'] },
  {
    name: 'feishu.need.mentions',
    anyOf: ['im:message.group_at_msg:readonly', 'im:message.group_at_msg', 'im:message.group_msg'],
  },
  { name: 'feishu.need.send', anyOf: ['im:message:send_as_bot', 'im:message'] },
  { name: 'feishu.need.quotes', anyOf: ['im:message:readonly', 'im:message'] },
  { name: 'feishu.need.files', anyOf: ['im:resource'] },
  { name: 'feishu.need.reactions', anyOf: ['im:message.reactions:write_only', 'im:message'] },
  { name: 'feishu.need.cards', anyOf: ['cardkit:card:write'] },
  { name: 'feishu.need.chats', anyOf: ['im:chat:readonly', 'im:chat:read', 'im:chat'] },
  { name: 'feishu.need.names', anyOf: ['contact:user.basic_profile:readonly', 'contact:user.base:readonly'] },
]

/** Event types the adapter reads; each is subscribed on the console's event page. */
export const EVENTS: readonly { readonly type: string; readonly required: boolean }[] = [
  { type: 'im.message.receive_v1', required: true },
  { type: 'im.chat.member.bot.added_v1', required: true },
  { type: 'im.chat.member.bot.deleted_v1', required: true },
  { type: 'im.message.recalled_v1', required: false },
  { type: 'im.chat.disbanded_v1', required: false },
  { type: 'im.message.reaction.created_v1', required: false },
  { type: 'im.message.reaction.deleted_v1', required: false },
  { type: 'im.chat.access_event.bot_p2p_chat_entered_v1', required: false },
]
