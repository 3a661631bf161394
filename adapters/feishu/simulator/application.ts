/** What an app may read about itself: its state, its published version and its permissions. */
import type { JsonObject } from './json.ts'
import { type Call, data, type Platform, type Reply, type Route } from './platform.ts'
import { invalidField, Refusal } from './refusal.ts'
import { needs } from './scopes.ts'
import type { App } from './state.ts'

const base = '/open-apis/application/v6'
const one = `${base}/applications/:app_id`

/** The calls of `application/v6` that a self check needs. */
export function applicationRoutes(platform: Platform): Route[] {
  return [
    { method: 'GET', path: one, needs: needs.self, handle: (call) => info(platform, call) },
    { method: 'GET', path: `${one}/app_versions`, needs: needs.self, handle: versions },
    { method: 'GET', path: `${one}/app_versions/:version_id`, needs: needs.self, handle: version },
    { method: 'GET', path: `${base}/scopes`, needs: needs.nothing, handle: scopes },
  ]
}

function requireSelf(call: Call): App {
  const id = call.params['app_id']
  if (id !== 'me' && id !== call.app.appId) throw new Refusal(210507, 'no permission to read this app')
  if (call.query.get('lang') === null) throw invalidField('lang', 'lang is required')
  return call.app
}

function versionId(app: App): string {
  return `oav_${app.appId.slice(4)}`
}

function info(platform: Platform, call: Call): Reply {
  const app = requireSelf(call)
  return data({
    app: {
      app_id: app.appId,
      app_name: app.name,
      creator_id: '',
      status: 1,
      scene_type: 0,
      payment_type: 0,
      primary_language: 'zh_cn',
      ...(app.published ? { online_version_id: versionId(app) } : { unaudit_version_id: versionId(app) }),
      scopes: [...app.scopes].map((scope) => ({ scope, description: '', level: 1 })),
      callback_info: callbackInfo(app),
      owner: { type: 2, owner_id: platform.state.users.keys().next().value ?? '' },
    },
  })
}

/** The callback page of the console: a mode, and what is subscribed in it. */
function callbackInfo({ callbackMode, callbackUrl }: App): JsonObject {
  if (callbackMode === 'none') return { callback_type: '', request_url: '', subscribed_callbacks: [] }
  const socket = callbackMode === 'ws'
  return {
    callback_type: socket ? 'websocket' : 'webhook',
    request_url: socket ? '' : callbackUrl,
    subscribed_callbacks: ['card.action.trigger'],
  }
}

function versionView(app: App): JsonObject {
  const events = [...app.events]
  return {
    app_id: app.appId,
    version: '1.0.0',
    version_id: versionId(app),
    app_name: app.name,
    status: app.published ? 1 : 3,
    events,
    event_infos: events.map((type) => ({ event_type: type, event_name: type, event_description: '' })),
    scopes: [...app.scopes].map((scope) => ({ scope, description: '', level: 1 })),
    ability: app.bot
      ? { bot: { card_request_url: app.callbackMode === 'webhook' ? app.callbackUrl : '' } }
      : {},
  }
}

function versions(call: Call): Reply {
  return data({ items: [versionView(requireSelf(call))], has_more: false, page_token: '' })
}

function version(call: Call): Reply {
  const app = requireSelf(call)
  if (call.params['version_id'] !== versionId(app)) throw new Refusal(210508, 'version does not exist')
  return data({ app_version: versionView(app) })
}

function scopes(call: Call): Reply {
  if (!call.app.published) throw new Refusal(212100, 'app is not installed')
  return data({
    scopes: [...call.app.scopes].map((name) => ({ scope_name: name, grant_status: 1, scope_type: 'tenant' })),
  })
}
