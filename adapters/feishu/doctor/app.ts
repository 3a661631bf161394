/** Settings that Feishu tells about the app itself. */
import { z } from 'zod'
import { getBot } from '../api/directory.ts'
import type { Check } from './check.ts'
import { EVENTS, NEEDS } from './scopes.ts'

const BOT_STATES: readonly number[] = [0, 1, 3, 4, 5, 6]

/** Token and bot: without them nothing else can be asked. */
export const credentials: Check = {
  name: 'feishu.doctor.credentials',
  page: 'baseinfo',
  run: async ({ api, text }, signal) => {
    const bot = await getBot(api, signal)
    if (bot.activateStatus === 2)
      return { ok: true, detail: text('feishu.doctor.bot', { name: bot.name, id: bot.openId }) }
    return {
      ok: false,
      detail: BOT_STATES.includes(bot.activateStatus)
        ? text(`feishu.doctor.bot_state.${bot.activateStatus}`)
        : text('feishu.doctor.bot_state', { state: bot.activateStatus }),
      fix: text('feishu.doctor.publish'),
      page: 'version',
    }
  },
}

/** Scopes and events are inert until a version is published. */
export const published: Check = {
  name: 'feishu.doctor.published',
  page: 'version',
  run: async ({ application, text }, signal) => {
    const { onlineVersion: version } = await application(signal)
    if (version) return { ok: true, detail: text('feishu.doctor.version', { version }) }
    return {
      ok: false,
      detail: text('feishu.doctor.unpublished'),
      fix: text('feishu.doctor.publish'),
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
  name: 'feishu.doctor.events',
  page: 'event',
  run: async ({ api, application, text }, signal) => {
    const { onlineVersion: version } = await application(signal)
    if (!version) return { ok: false, detail: text('feishu.doctor.before_version'), page: 'version' }
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
    if (missing.length === 0) return { ok: true, detail: text('feishu.doctor.events_well') }
    if (!missing.some((event) => event.required))
      return { ok: true, detail: text('feishu.doctor.events_optional', { names }) }
    return {
      ok: false,
      detail: text('feishu.doctor.events_missing', { names }),
      fix: text('feishu.doctor.events_missing.fix'),
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
  name: 'feishu.doctor.scopes',
  page: 'auth',
  run: async ({ api, text }, signal) => {
    const answer = await api.json(
      { api: 'application.scopes', method: 'GET', path: '/open-apis/application/v6/scopes', signal },
      scopesSchema,
    )
    const all = answer.data.scopes ?? []
    const granted = new Set(all.filter((scope) => scope.grant_status === 1).map((scope) => scope.scope_name))
    const missing = NEEDS.filter((need) => !need.anyOf.some((scope) => granted.has(scope)))
    if (missing.length === 0) return { ok: true, detail: text('feishu.doctor.scopes_well') }
    return {
      ok: false,
      detail: text('feishu.doctor.scopes_missing', {
        names: missing.map((need) => `${need.anyOf[0]} (${text(need.name)})`).join(', '),
      }),
      fix: text('feishu.doctor.scopes_missing.fix'),
    }
  },
}
