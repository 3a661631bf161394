/** Finding apps, users and chats, and their ids as one app sees them. */
import { AppError } from '../../../src/protocol/errors.ts'
import type { App, Chat, Party, State, User } from './state.ts'

function missing(what: string, id: string): AppError {
  return new AppError('simulator.unknown', `There is no ${what} ${id} in the simulator.`, {
    hint: `Create the ${what} by the control interface first and use the id it returned.`,
  })
}

/** The app, or an error that says to create it first. */
export function appOf(state: State, appId: string): App {
  const app = state.apps.get(appId)
  if (!app) throw missing('app', appId)
  return app
}

/** The user, or an error that says to create it first. */
export function userOf(state: State, userId: string): User {
  const user = state.users.get(userId)
  if (!user) throw missing('user', userId)
  return user
}

/** The chat, or an error that says to create it first. */
export function chatOf(state: State, chatId: string): Chat {
  const chat = state.chats.get(chatId)
  if (!chat) throw missing('chat', chatId)
  return chat
}

/** `ou_…` of a user or bot as `app` sees it; remembered for the way back. */
export function openIdOf(state: State, party: Party, appId: string): string {
  if (party.kind === 'all') return ''
  const own = party.kind === 'bot' && party.id === appId ? state.apps.get(appId)?.botOpenId : undefined
  const openId = own ?? state.ids.derived('ou_', party.id, appId)
  if (!state.openIds.has(openId)) state.openIds.set(openId, { appId, party })
  return openId
}

/** The three ids of a party in events; `user_id` only with its permission. */
export function eventIds(state: State, party: Party, app: App): Record<string, string> {
  if (party.kind === 'all') return { union_id: '', user_id: '', open_id: '' }
  const user = party.kind === 'user' ? state.users.get(party.id) : undefined
  const unionId = user?.unionId ?? state.ids.derived('on_', party.id)
  const visible =
    user && user.tenantKey === app.tenantKey && app.scopes.has('contact:user.employee_id:readonly')
  return {
    union_id: unionId,
    ...(visible ? { user_id: user.userId } : {}),
    open_id: openIdOf(state, party, app.appId),
  }
}

/** Display name of a user, bot or everybody. */
export function nameOf(state: State, party: Party): string {
  if (party.kind === 'all') return '所有人'
  if (party.kind === 'bot') return state.apps.get(party.id)?.name ?? party.id
  return state.users.get(party.id)?.name ?? party.id
}

/** Tenant key of a user or bot. */
export function tenantOf(state: State, party: Party): string {
  if (party.kind === 'bot') return state.apps.get(party.id)?.tenantKey ?? ''
  return state.users.get(party.id)?.tenantKey ?? ''
}

/** The user that any kind of id names for this app, or undefined. */
export function findUser(
  state: State,
  app: App,
  idType: string,
  id: string,
): { user?: User; otherApp: boolean } {
  if (idType === 'user_id') return found(state.users.get(id))
  if (idType === 'union_id') return found(state.users.get(state.unionIds.get(id) ?? ''))
  if (idType === 'email') return found([...state.users.values()].find((user) => user.email === id))
  if (!state.openIds.has(id)) nameEverybody(state, app)
  const owner = state.openIds.get(id)
  if (owner?.party.kind !== 'user') return { otherApp: false }
  if (owner.appId !== app.appId) return { otherApp: true }
  return found(state.users.get(owner.party.id))
}

/** Gives out every open_id of this app, so that ids derived elsewhere can be found. */
function nameEverybody(state: State, app: App): void {
  for (const userId of state.users.keys()) openIdOf(state, { kind: 'user', id: userId }, app.appId)
}

function found(user: User | undefined): { user?: User; otherApp: boolean } {
  return user ? { user, otherApp: false } : { otherApp: false }
}

/** The direct chat of a user with a bot, if there is one. */
export function directChat(state: State, userId: string, appId: string): Chat | undefined {
  for (const chat of state.chats.values())
    if (chat.mode === 'p2p' && chat.bots.has(appId) && chat.members.has(userId)) return chat
  return undefined
}

/** True when `app` may meet this user at all. */
export function isAvailable(app: App, userId: string): boolean {
  return app.availability === 'all' || app.availability.has(userId)
}
