/** Ways in and out: connection, cards, groups, callbacks. */
import { z } from 'zod'
import { createCard } from '../api/cardkit.ts'
import { dispatch } from '../api/client.ts'
import { paintAnswer } from '../card/answer.ts'
import { baseUrl, consoleLink } from '../config.ts'
import type { Check } from './check.ts'

const endpointSchema = z.looseObject({ code: z.number(), msg: z.string().default('') })

/** Whether the endpoint of the long connection takes this app. */
export const connection: Check = {
  name: 'feishu.doctor.connection',
  page: 'event',
  run: async ({ api, fetch: fetcher, transport, text }, signal) => {
    const { config } = api
    if (config.transport === 'webhook') {
      return {
        ok: true,
        detail: text('feishu.doctor.webhook', { id: config.id }),
      }
    }
    if (transport?.state === 'connected') return { ok: true, detail: text('feishu.doctor.connected') }
    const response = await dispatch(fetcher, baseUrl(config.domain), {
      api: 'callback.endpoint',
      method: 'POST',
      path: '/callback/ws/endpoint',
      json: { AppID: config.appId, AppSecret: config.appSecret },
      signal,
    })
    const answer = endpointSchema.safeParse(await response.json().catch(() => undefined))
    if (answer.data?.code === 0) return { ok: true, detail: text('feishu.doctor.accepted') }
    return {
      ok: false,
      detail: text('feishu.doctor.endpoint', {
        code: answer.data?.code ?? response.status,
        message: answer.data?.msg ?? 'no JSON',
      }),
      fix: text('feishu.doctor.endpoint.fix'),
    }
  },
}

/** Makes a card entity, which nobody sees, to prove the CardKit scope. */
export const streaming: Check = {
  name: 'feishu.doctor.streaming',
  page: 'auth',
  run: async ({ api, text }, signal) => {
    await createCard(api, paintAnswer('Yizhan doctor'), { priority: 'low', signal })
    return { ok: true, detail: text('feishu.doctor.card') }
  },
}

const chatsSchema = z.looseObject({
  data: z.looseObject({ items: z.array(z.unknown()).nullish(), has_more: z.boolean().optional() }),
})

/** How many groups the bot is in. */
export const groups: Check = {
  name: 'feishu.doctor.groups',
  page: 'bot',
  run: async ({ api, text }, signal) => {
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
    const more = answer.data.has_more === true ? '+' : ''
    if (count > 0) return { ok: true, detail: text('feishu.doctor.in_groups', { count: `${count}${more}` }) }
    return {
      ok: true,
      unseen: true,
      detail: text('feishu.doctor.no_group'),
    }
  },
}

const CLICKS = 'card.action.trigger'

/** Whether clicks arrive. Feishu tells it of newer apps; of others only a click does. */
export const callbacks: Check = {
  name: 'feishu.doctor.callbacks',
  page: 'event',
  run: async ({ api, application, text }, signal) => {
    const { callbacks: told } = await application(signal)
    if (!told) {
      return {
        ok: true,
        unseen: true,
        detail: text('feishu.doctor.clicks_untold', {
          event: CLICKS,
          link: consoleLink(api.config, 'event'),
        }),
      }
    }
    const fix = text('feishu.doctor.clicks.fix', { event: CLICKS })
    if (!told.subscribed.includes(CLICKS)) {
      return { ok: false, detail: text('feishu.doctor.clicks_missing', { event: CLICKS }), fix }
    }
    if (told.transport && told.transport !== api.config.transport) {
      return {
        ok: false,
        detail: text('feishu.doctor.clicks_elsewhere', {
          told: told.transport,
          own: api.config.transport,
        }),
        fix,
      }
    }
    return { ok: true, detail: text('feishu.doctor.clicks_well', { event: CLICKS }) }
  },
}
