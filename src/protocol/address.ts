/** Where a conversation happens. The only place that turns an address into a key. */

/** A group, or a chat of one person with the bot. */
export type ChatType = 'group' | 'direct'

/** A conversation: a direct chat, a group, or a topic in a group. */
export interface Address {
  /** Id of the bot in `yizhan.yaml`, never a platform id. */
  readonly botId: string
  readonly chatId: string
  readonly chatType: ChatType
  /** A topic inside the chat (Feishu `thread_id`); absent outside topics. */
  readonly threadId?: string
}

/** A person across platforms: `feishu:ou_…`, `wecom:zhangsan`. Compared by {@link sameUser}. */
export type UserKey = `${string}:${string}`

/**
 * Key of the session that belongs to an address. Every part is percent-encoded, so ids that hold
 * separators can never collide with other ids, and the key is safe as a file name once hashed.
 */
export function sessionKey(address: Address): string {
  const { botId, chatId, threadId } = address
  const thread = threadId === undefined ? '' : encodeURIComponent(threadId)
  return `${encodeURIComponent(botId)}/${encodeURIComponent(chatId)}/${thread}`
}

/** Key of the chat that bounds order and rate limits: topics of one group share it. */
export function chatKey(address: Address): string {
  return `${encodeURIComponent(address.botId)}/${encodeURIComponent(address.chatId)}`
}

/** Platforms whose user ids mean the same in any case (WeCom's `user/get`); stored in lower case. */
const WITHOUT_CASE: ReadonlySet<string> = new Set(['wecom'])

/** Builds a {@link UserKey}: what rules and rows compare. */
export function userKey(platform: string, id: string): UserKey {
  return `${platform}:${WITHOUT_CASE.has(platform) ? id.toLowerCase() : id}`
}
