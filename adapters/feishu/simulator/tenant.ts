/** What an administrator does: apps, people, chats and their settings. */
import { AppError } from '../../../src/protocol/errors.ts'
import { createChatControl } from './chats.ts'
import type { AppInfo, AppOptions, TenantControl, UserInfo, UserOptions } from './control.ts'
import { objectOf } from './json.ts'
import { partyOf } from './mentions.ts'
import { appOf, openIdOf } from './people.ts'
import type { Platform } from './platform.ts'
import { allEvents, defaultScopes } from './scopes.ts'
import type { App, State, User } from './state.ts'
import { pushWebhook } from './webhook.ts'

const challengeMs = 1000

/** An app as the control interface shows it. */
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

/** A user as the control interface shows it. */
export function userInfo({ userId, unionId, name, tenantKey }: User): UserInfo {
  return { userId, unionId, name, tenantKey }
}

/** The part of the control interface that is about the tenant. */
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
    createUser: (options) => userInfo(createUser(state, options)),
    createDepartment: (name) => {
      const id = state.ids.make('od-', 32)
      state.departments.set(id, name)
      return id
    },
    openId: (id, appId) => openIdOf(state, partyOf(state, id), appId),
    userOf: (openId) => {
      const party = state.openIds.get(openId)?.party
      return party?.kind === 'user' ? party.id : undefined
    },
    verifyWebhook: (appId, which = 'event') => verifyWebhook(platform, appOf(state, appId), which),
    connections: (appId) => platform.sockets.count(appId),
    revokeTokens: (appId) => platform.tokens.revoke(appId),
    refuseTokens: (appId, refused) => platform.tokens.refuse(appId, refused),
    ...createChatControl(platform),
  }
}

function createUser(state: State, options: UserOptions): User {
  const userId = options.userId ?? state.ids.hex(8)
  const user: User = {
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
  return user
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
