/** What an administrator does: apps, people, chats and their settings. */
import { AppError } from '../../../src/protocol/errors.ts'
import type { AppInfo, AppOptions, TenantControl, UserInfo } from './control.ts'
import { chatEvent, pushToBots } from './hearing.ts'
import { objectOf } from './json.ts'
import { appOf, chatOf, directChat, eventIds, openIdOf, userOf } from './people.ts'
import type { Platform } from './platform.ts'
import { makeChat, makeDirect } from './rooms.ts'
import { allEvents, defaultScopes } from './scopes.ts'
import { type App, announce, type Chat, type Party, type State, type User } from './state.ts'
import { pushWebhook } from './webhook.ts'

const challengeMs = 1000

export function appInfo(app: App): AppInfo {
  const { appId, secret, name, tenantKey, botOpenId, verificationToken, encryptKey } = app
  return {
    appId,
    appSecret: secret,
    name,
    tenantKey,
    botOpenId,
    verificationToken,
    ...(encryptKey === '' ? {} : { encryptKey }),
  }
}

export function userInfo({ userId, unionId, name, tenantKey }: User): UserInfo {
  return { userId, unionId, name, tenantKey }
}

export function createTenantControl(platform: Platform): TenantControl {
  const { state } = platform
  return {
    createTenant: (name) => {
      const key = state.ids.hex(16)
      state.tenants.set(key, name)
      return key
    },
    createApp: (options = {}) => appInfo(createApp(state, options)),
    updateApp: (appId, change) => {
      applyOptions(appOf(state, appId), change)
      return appInfo(appOf(state, appId))
    },
    createUser: (options) => {
      const userId = options.userId ?? state.ids.hex(8)
      const user = {
        userId,
        unionId: state.ids.derived('on_', userId),
        tenantKey: options.tenantKey ?? state.defaultTenant,
        name: options.name,
        email: options.email ?? '',
        mobile: options.mobile ?? '',
        departments: options.departments ?? [],
        resigned: options.resigned ?? false,
      }
      state.users.set(userId, user)
      state.unionIds.set(user.unionId, userId)
      return userInfo(user)
    },
    createDepartment: (name) => {
      const id = state.ids.make('od-', 32)
      state.departments.set(id, name)
      return id
    },
    openDirect: (userId, appId) =>
      (directChat(state, userId, appId) ?? makeDirect(state, userOf(state, userId), appOf(state, appId)))
        .chatId,
    openId: (userId, appId) => openIdOf(state, { kind: 'user', id: userId }, appId),
    userOf: (openId) => {
      const party = state.openIds.get(openId)?.party
      return party?.kind === 'user' ? party.id : undefined
    },
    verifyWebhook: (appId, which = 'event') => verifyWebhook(platform, appOf(state, appId), which),
    connections: (appId) => platform.sockets.count(appId),
    revokeTokens: (appId) => platform.tokens.revoke(appId),
    refuseTokens: (appId, refused) => platform.tokens.refuse(appId, refused),
    ...chatControl(platform),
  }
}

function createApp(state: State, options: AppOptions): App {
  const appId = options.appId ?? state.ids.make('cli_', 16)
  if (!/^cli_[0-9a-fA-F]{16}$/.test(appId) || state.apps.has(appId))
    throw new AppError('simulator.app_id', `${appId} is no new app id.`, {
      hint: 'An app id is cli_ and 16 hex digits, and exists once.',
    })
  const app: App = {
    appId,
    tenantKey: options.tenantKey ?? state.defaultTenant,
    botOpenId: state.ids.derived('ou_', 'bot', appId),
    secret: state.ids.hex(32),
    name: '小助手',
    scopes: new Set(defaultScopes),
    bot: true,
    published: true,
    eventMode: 'ws',
    callbackMode: options.eventMode ?? 'ws',
    webhookUrl: '',
    callbackUrl: '',
    encryptKey: '',
    verificationToken: state.ids.hex(32),
    availability: 'all',
    ipAllowList: [],
    events: new Set(allEvents),
  }
  applyOptions(app, options)
  state.apps.set(appId, app)
  openIdOf(state, { kind: 'bot', id: appId }, appId)
  return app
}

function applyOptions(app: App, options: AppOptions): void {
  const { scopes, events, availability, appSecret } = options
  const simple = [
    'name',
    'bot',
    'published',
    'eventMode',
    'callbackMode',
    'webhookUrl',
    'callbackUrl',
    'encryptKey',
    'verificationToken',
    'ipAllowList',
  ] as const
  const given = Object.fromEntries(
    simple.flatMap((key) => (options[key] === undefined ? [] : [[key, options[key]]])),
  )
  Object.assign(app, given)
  if (appSecret !== undefined) app.secret = appSecret
  if (scopes) app.scopes = new Set(scopes)
  if (events) app.events = new Set(events)
  if (availability !== undefined) app.availability = availability === 'all' ? 'all' : new Set(availability)
}

type ChatControl = Pick<
  TenantControl,
  'createChat' | 'updateChat' | 'addMember' | 'removeMember' | 'addBot' | 'removeBot' | 'disband'
>

function chatControl(platform: Platform): ChatControl {
  const { state } = platform
  const operator = (chat: Chat, id: string | undefined): Party => ({ kind: 'user', id: id ?? chat.owner })
  const about = (chat: Chat, type: string, by: Party, only?: string): void =>
    pushToBots(
      platform,
      chat,
      type,
      (app) => chatEvent(platform, chat, app, by),
      only === undefined ? {} : { only },
    )
  const members = (chat: Chat, type: string, userId: string): void =>
    pushToBots(platform, chat, type, (app) => ({
      ...chatEvent(platform, chat, app, operator(chat, undefined)),
      users: [
        {
          name: userOf(state, userId).name,
          tenant_key: userOf(state, userId).tenantKey,
          user_id: eventIds(state, { kind: 'user', id: userId }, app),
        },
      ],
    }))
  const touched = (chat: Chat): void => announce(state, { type: 'chat', chatId: chat.chatId })
  return {
    createChat: (options) => {
      const owner = options.owner ?? options.members[0] ?? ''
      const { members: people, bots = [], name = '项目群', mode = 'group' } = options
      for (const id of people) userOf(state, id)
      for (const id of bots) appOf(state, id)
      const chat = makeChat(state, {
        name,
        mode,
        tenantKey: state.users.get(owner)?.tenantKey ?? state.defaultTenant,
        members: people,
        bots,
        owner,
      })
      applyChat(chat, options)
      about(chat, 'im.chat.member.bot.added_v1', operator(chat, undefined))
      return chat.chatId
    },
    updateChat: (chatId, change) => {
      const chat = chatOf(state, chatId)
      applyChat(chat, change)
      touched(chat)
      about(chat, 'im.chat.updated_v1', operator(chat, undefined))
    },
    addMember: (chatId, userId) => {
      const chat = chatOf(state, chatId)
      chat.members.add(userOf(state, userId).userId)
      touched(chat)
      members(chat, 'im.chat.member.user.added_v1', userId)
    },
    removeMember: (chatId, userId) => {
      const chat = chatOf(state, chatId)
      chat.members.delete(userId)
      touched(chat)
      members(chat, 'im.chat.member.user.deleted_v1', userId)
    },
    addBot: (chatId, appId, operatorId) => {
      const chat = chatOf(state, chatId)
      chat.bots.add(appOf(state, appId).appId)
      touched(chat)
      about(chat, 'im.chat.member.bot.added_v1', operator(chat, operatorId), appId)
    },
    removeBot: (chatId, appId, operatorId) => {
      const chat = chatOf(state, chatId)
      about(chat, 'im.chat.member.bot.deleted_v1', operator(chat, operatorId), appId)
      chat.bots.delete(appId)
      touched(chat)
    },
    disband: (chatId, operatorId) => {
      const chat = chatOf(state, chatId)
      about(chat, 'im.chat.disbanded_v1', operator(chat, operatorId))
      chat.disbanded = true
      touched(chat)
    },
  }
}

function applyChat(chat: Chat, change: Parameters<TenantControl['updateChat']>[1]): void {
  const keys = ['name', 'owner', 'atAllAllowed', 'topicsAllowed', 'muted', 'restricted'] as const
  Object.assign(
    chat,
    Object.fromEntries(keys.flatMap((key) => (change[key] === undefined ? [] : [[key, change[key]]]))),
  )
}

async function verifyWebhook(
  platform: Platform,
  app: App,
  which: 'event' | 'callback',
): Promise<{ ok: boolean; reason: string }> {
  const challenge = platform.state.ids.hex(20)
  const url = which === 'callback' && app.callbackUrl !== '' ? app.callbackUrl : app.webhookUrl
  const body = JSON.stringify({ challenge, token: app.verificationToken, type: 'url_verification' })
  const push = await pushWebhook(platform.state, app, url, body, { timeoutMs: challengeMs, signed: false })
  if (push.outcome !== 'ok')
    return { ok: false, reason: push.outcome === 'failed' ? `status ${push.status}` : push.outcome }
  const answered = objectOf(push.answer)['challenge'] === challenge
  return { ok: answered, reason: answered ? '' : 'the challenge was not returned' }
}
