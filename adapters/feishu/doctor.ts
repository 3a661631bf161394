/**
 * Live checks of an app's settings, in the order in which an administrator makes them. Every finding
 * says what to change and links the console page. Nothing is sent to a chat.
 */
import { z } from 'zod'
import type { AdapterStatus, Diagnosis } from '../../src/protocol/adapter.ts'
import { AppError } from '../../src/protocol/errors.ts'
import { createCard } from './api/cardkit.ts'
import { type Api, dispatch } from './api/client.ts'
import { getBot } from './api/directory.ts'
import { paintAnswer } from './card/answer.ts'
import { baseUrl, type ConsolePage, consoleLink } from './config.ts'
import { EVENTS, NEEDS } from './scopes.ts'

export interface DoctorDeps {
  readonly api: Api
  readonly fetch: typeof fetch
  /** State of the running socket, if this process has one. */
  readonly transport: AdapterStatus | undefined
}

interface Finding {
  readonly ok: boolean
  readonly detail: string
  readonly fix?: string
  readonly page?: ConsolePage
}

interface Check {
  readonly name: string
  readonly page: ConsolePage
  run(deps: DoctorDeps, signal: AbortSignal): Promise<Finding>
}

/** Runs all checks. A wrong secret makes the rest meaningless, so it is then the only finding. */
export async function diagnose(deps: DoctorDeps, signal: AbortSignal): Promise<Diagnosis[]> {
  const findings: Diagnosis[] = []
  for (const check of CHECKS) {
    const found = await perform(check, deps, signal)
    findings.push(found)
    if (check === credentials && !found.ok) break
  }
  return findings
}

async function perform(check: Check, deps: DoctorDeps, signal: AbortSignal): Promise<Diagnosis> {
  const finding = await check.run(deps, signal).catch((error: unknown): Finding => {
    if (signal.aborted || !(error instanceof AppError)) throw error
    return { ok: false, detail: error.message, fix: error.hint }
  })
  return {
    check: `feishu: ${check.name}`,
    ok: finding.ok,
    detail: finding.detail,
    ...(finding.fix ? { fix: finding.fix } : {}),
    ...(finding.ok ? {} : { link: consoleLink(deps.api.config, finding.page ?? check.page) }),
  }
}

const BOT_STATES: Readonly<Record<number, string>> = {
  0: 'not yet activated',
  1: 'disabled by the tenant',
  3: 'to be activated after installation',
  4: 'waiting for an upgrade',
  5: 'licence expired',
  6: 'plan expired',
}

const credentials: Check = {
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

const appSchema = z.looseObject({
  data: z.looseObject({ app: z.looseObject({ online_version_id: z.string().nullish() }) }),
})

/** Id of the published version, undefined when there is none. */
async function onlineVersion(api: Api, signal: AbortSignal): Promise<string | undefined> {
  const answer = await api.json(
    {
      api: 'application.get',
      method: 'GET',
      path: '/open-apis/application/v6/applications/me',
      query: { lang: 'zh_cn' },
      signal,
    },
    appSchema,
  )
  return answer.data.app.online_version_id || undefined
}

const published: Check = {
  name: 'published version',
  page: 'version',
  run: async ({ api }, signal) => {
    const version = await onlineVersion(api, signal)
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

const events: Check = {
  name: 'event subscription',
  page: 'event',
  run: async ({ api }, signal) => {
    const version = await onlineVersion(api, signal)
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

const scopes: Check = {
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

const endpointSchema = z.looseObject({ code: z.number(), msg: z.string().default('') })

const connection: Check = {
  name: 'long connection',
  page: 'event',
  run: async ({ api, fetch: fetcher, transport }, signal) => {
    const { config } = api
    if (config.transport === 'webhook') {
      return {
        ok: true,
        detail: `not used; both request addresses (events, callbacks) are publicUrl + /webhooks/${config.id}`,
      }
    }
    if (transport?.state === 'connected') return { ok: true, detail: 'connected' }
    const response = await dispatch(fetcher, baseUrl(config.domain), {
      api: 'callback.endpoint',
      method: 'POST',
      path: '/callback/ws/endpoint',
      json: { AppID: config.appId, AppSecret: config.appSecret },
      signal,
    })
    const answer = endpointSchema.safeParse(await response.json().catch(() => undefined))
    if (answer.data?.code === 0) return { ok: true, detail: 'the endpoint accepts this app' }
    return {
      ok: false,
      detail: `the endpoint answered ${answer.data?.code ?? response.status}: ${answer.data?.msg ?? 'no JSON'}`,
      fix: 'Events & callbacks → Event configuration → receive through a long connection (save while Yizhan runs).',
    }
  },
}

const streaming: Check = {
  name: 'streaming cards',
  page: 'auth',
  run: async ({ api }, signal) => {
    await createCard(api, paintAnswer('Yizhan doctor'), { priority: 'low', signal })
    return { ok: true, detail: 'a card can be made (it was not sent)' }
  },
}

const chatsSchema = z.looseObject({
  data: z.looseObject({ items: z.array(z.unknown()).nullish(), has_more: z.boolean().optional() }),
})

const groups: Check = {
  name: 'groups',
  page: 'bot',
  run: async ({ api }, signal) => {
    const answer = await api.json(
      {
        api: 'im.chat.list',
        method: 'GET',
        path: '/open-apis/im/v1/chats',
        query: { page_size: '100' },
        signal,
      },
      chatsSchema,
    )
    const count = answer.data.items?.length ?? 0
    if (count > 0) return { ok: true, detail: `in ${count}${answer.data.has_more ? ' or more' : ''} groups` }
    return {
      ok: true,
      detail: 'in no group yet; add it in a group under settings → bots (direct chats work without)',
    }
  },
}

/** No API tells whether callbacks are subscribed, so the finding says how to see it. */
const callbacks: Check = {
  name: 'card callbacks',
  page: 'event',
  run: ({ api }) =>
    Promise.resolve({
      ok: true,
      detail:
        'cannot be read by API: Events & callbacks → Callback configuration needs the same mode and ' +
        `card.action.trigger; without it every click shows 200340 (${consoleLink(api.config, 'event')})`,
    }),
}

const CHECKS: readonly Check[] = [
  credentials,
  published,
  scopes,
  events,
  connection,
  streaming,
  groups,
  callbacks,
]
