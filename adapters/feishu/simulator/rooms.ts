import type { App, Chat, State, User } from './state.ts'
import { announce } from './state.ts'

/** A chat to be made. */
export interface NewChat {
  readonly name: string
  readonly mode: Chat['mode']
  readonly tenantKey: string
  readonly members: readonly string[]
  readonly bots: readonly string[]
  readonly owner: string
}

/** Makes a chat with every setting at its default. */
export function makeChat(state: State, init: NewChat): Chat {
  const chat: Chat = {
    ...init,
    chatId: state.ids.make('oc_'),
    members: new Set(init.members),
    bots: new Set(init.bots),
    atAllAllowed: true,
    topicsAllowed: true,
    muted: false,
    restricted: false,
    disbanded: false,
  }
  state.chats.set(chat.chatId, chat)
  announce(state, { type: 'chat', chatId: chat.chatId })
  return chat
}

/** The direct chat of a user with a bot. */
export function makeDirect(state: State, user: User, app: App): Chat {
  return makeChat(state, {
    name: `${user.name}, ${app.name}`,
    mode: 'p2p',
    tenantKey: app.tenantKey,
    members: [user.userId],
    bots: [app.appId],
    owner: user.userId,
  })
}
