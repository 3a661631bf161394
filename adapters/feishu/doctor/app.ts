/** Settings that Feishu tells about the app itself. */
import { z } from 'zod'
import { getBot } from '../api/directory.ts'
import type { Check } from './check.ts'
import { EVENTS, NEEDS } from './scopes.ts'

const BOT_STATES: Readonly<Record<number, string>> = {
  0: 'not yet activated',
  1: 'disabled by the tenant',
  3: 'to be activated after installation',
  4: 'waiting for an upgrade',
  5: 'licence expired',
  6: 'plan expired',
}

/** Token and bot: without them nothing else can be asked. */
export const credentials: Check = {
  name: 'App ID, App Secret, bot ability',
  page: 'baseinfo',
  run: async ({ api }, signal) => {
    const bot = await getBot(api, signal)
    if (bot.activateStatus === 2) return { ok: true, detail: `the bot is ${bot.name} (${bot.openId})` }
    return {
      ok: false,
      detail: `the bot is ${BOT_STATES[bot.activateStatus] ?? `in state ${bot.activateStatus}`}`,
      fix: 'Create a version, publish it and let an administrator approve it.',
      page: 'version',
    }
  },
}

/** Scopes and events are inert until a version is published. */
export const published: Check = {
  name: 'published version',
  page: 'version',
  run: async ({ application }, signal) => {
    const { onlineVersion: version } = await application(signal)
    if (version) return { ok: true, detail: `version ${version} is published` }
    return {
      ok: false,
      detail: 'no version is published: scopes and events have no effect yet',
      fix: 'Create a version, publish it and let an administrator approve it.',
    }
  },
}

const versionSchema = z.looseObject({
  data: z.looseObject({
    app_version: z.looseObject({
      event_infos: z.array(z.looseObject({ event_type: z.string() })).nullish(),
    }),
  }),
})

/** Events of the published version against what the adapter reads. */
export const events: Check = {
  name: 'event subscription',
  page: 'event',
  run: async ({ api, application }, signal) => {
    const { onlineVersion: version } = await application(signal)
    if (!version) return { ok: false, detail: 'unknown before a version is published', page: 'version' }
    const answer = await api.json(
      {
        api: 'application.version.get',
        method: 'GET',
        path: `/open-apis/application/v6/applications/me/app_versions/${encodeURIComponent(version)}`,
        query: { lang: 'zh_cn' },
        signal,
      },
      versionSchema,
    )
    const subscribed = new Set(answer.data.app_version.event_infos?.map((info) => info.event_type))
    const missing = EVENTS.filter((event) => !subscribed.has(event.type))
    const names = missing.map((event) => event.type).join(', ')
    if (missing.length === 0) return { ok: true, detail: 'all events are subscribed' }
    if (!missing.some((event) => event.required))
      return { ok: true, detail: `not subscribed, optional: ${names}` }
    return {
      ok: false,
      detail: `not subscribed: ${names}`,
      fix: 'Events & callbacks → Event configuration: add them, then publish a new version.',
    }
  },
}

const scopesSchema = z.looseObject({
  data: z.looseObject({
    scopes: z.array(z.looseObject({ scope_name: z.string(), grant_status: z.number() })).nullish(),
  }),
})

/** Granted permissions against what the adapter does. */
export const scopes: Check = {
  name: 'permissions',
  page: 'auth',
  run: async ({ api }, signal) => {
    const answer = await api.json(
      { api: 'application.scopes', method: 'GET', path: '/open-apis/application/v6/scopes', signal },
      scopesSchema,
    )
    const all = answer.data.scopes ?? []
    const granted = new Set(all.filter((scope) => scope.grant_status === 1).map((scope) => scope.scope_name))
    const missing = NEEDS.filter((need) => !need.anyOf.some((scope) => granted.has(scope)))
    if (missing.length === 0) return { ok: true, detail: 'all needed scopes are granted' }
    return {
      ok: false,
      detail: `missing: ${missing.map((need) => `${need.anyOf[0]} (${need.name})`).join(', ')}`,
      fix: 'Grant them, then create and publish a version: scopes have no effect before.',
    }
  },
}
