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

/** Makes a card entity, which nobody sees, to prove the CardKit scope. */
export const streaming: Check = {
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

/** How many groups the bot is in. */
export const groups: Check = {
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
      unseen: true,
      detail:
        'in no group yet. In the group: settings → bots → add; until then the bot hears nothing there and ' +
        'cannot write there (230002). Direct chats work without',
    }
  },
}

const CLICKS = 'card.action.trigger'
const WHERE = 'Events & callbacks → Callback configuration (a tab beside the events, and a mode of its own): '

/** Whether clicks arrive. Feishu tells it of newer apps; of others only a click does. */
export const callbacks: Check = {
  name: 'card callbacks',
  page: 'event',
  run: async ({ api, application }, signal) => {
    const { callbacks: told } = await application(signal)
    if (!told) {
      return {
        ok: true,
        unseen: true,
        detail:
          `not told by Feishu: ${WHERE}it needs the mode of this bot and ${CLICKS}; ` +
          `without it every click shows 200340 (${consoleLink(api.config, 'event')})`,
      }
    }
    const fix = `${WHERE}choose the mode of this bot and add ${CLICKS}, then publish a version.`
    if (!told.subscribed.includes(CLICKS)) {
      return { ok: false, detail: `${CLICKS} is not subscribed: every click shows 200340`, fix }
    }
    if (told.transport && told.transport !== api.config.transport) {
      return {
        ok: false,
        detail: `clicks go to ${told.transport}, but this bot has transport: ${api.config.transport}`,
        fix,
      }
    }
    return { ok: true, detail: `${CLICKS} is subscribed` }
  },
}
