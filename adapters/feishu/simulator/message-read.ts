/** GET and list: messages as the API shows them, bundles opened. */
import type { JsonObject } from './json.ts'
import { chatOfMessage } from './message-send.ts'
import { restMessage } from './message-view.ts'
import { requireMessage } from './messages.ts'
import { type Call, data, type Platform, type Reply, type Route } from './platform.ts'
import { invalidField, Refusal } from './refusal.ts'
import { hearing, needs } from './scopes.ts'
import type { App, Message } from './state.ts'

const maxPage = 50

/** GET of one message and of a chat or topic. */
export function readRoutes(platform: Platform): Route[] {
  return [
    {
      method: 'GET',
      path: '/open-apis/im/v1/messages/:message_id',
      needs: needs.read,
      handle: (call) => get(platform, call),
    },
    {
      method: 'GET',
      path: '/open-apis/im/v1/messages',
      needs: needs.read,
      handle: (call) => list(platform, call),
    },
  ]
}

function get(platform: Platform, call: Call): Reply {
  const message = requireMessage(platform.state, call.params['message_id'] ?? '', { recalled: true })
  if (!chatOfMessage(platform, message).bots.has(call.app.appId))
    throw new Refusal(230002, 'The bot is not in the group')
  const fullCards = call.query.get('card_msg_content_type') !== null
  const inside = bundle(platform, call.app, message, fullCards)
  return data({ items: [restMessage(platform.state, call.app, message, { fullCards }), ...inside] })
}

/** Messages of a bundle, bundles inside it opened too, each naming the bundle it is in. */
function bundle(platform: Platform, app: App, message: Message, fullCards: boolean): JsonObject[] {
  if (message.recalled) return []
  return (message.children ?? []).flatMap((child) => [
    restMessage(platform.state, app, child, { fullCards, bundleId: message.messageId }),
    ...bundle(platform, app, child, fullCards),
  ])
}

function list(platform: Platform, call: Call): Reply {
  const { query, app } = call
  const type = query.get('container_id_type')
  const id = query.get('container_id') ?? ''
  if (type !== 'chat' && type !== 'thread') throw invalidField('container_id_type', 'options: [chat,thread]')
  const size = Number(query.get('page_size') ?? 20)
  if (!(size >= 1 && size <= maxPage)) throw invalidField('page_size', `the max value is ${maxPage}`)
  const messages = contained(platform, app, type, id)
  const from = Number(query.get('start_time') ?? 0) * 1000
  const to = query.get('end_time') === null ? Number.POSITIVE_INFINITY : Number(query.get('end_time')) * 1000
  const found = messages.filter((one) => one.createdAt >= from && one.createdAt <= to)
  if (query.get('sort_type') === 'ByCreateTimeDesc') found.reverse()
  const start = Number(query.get('page_token') ?? 0)
  const more = start + size < found.length
  return data({
    items: found.slice(start, start + size).map((one) => restMessage(platform.state, app, one)),
    has_more: more,
    page_token: more ? String(start + size) : '',
  })
}

function contained(platform: Platform, app: App, type: 'chat' | 'thread', id: string): Message[] {
  const all = [...platform.state.messages.values()].filter((one) => !one.bundled)
  const found = all.filter((one) => (type === 'chat' ? one.chatId === id : one.threadId === id))
  const chat = platform.state.chats.get(type === 'chat' ? id : (found[0]?.chatId ?? ''))
  if (!chat) throw new Refusal(type === 'chat' ? 230034 : 230019, 'The container does not exist')
  if (!chat.bots.has(app.appId)) throw new Refusal(230002, 'The bot is not in the group')
  if (chat.mode !== 'p2p' && !app.scopes.has(hearing.everything))
    throw new Refusal(230027, 'Lack of permission to read group messages')
  return found
}
