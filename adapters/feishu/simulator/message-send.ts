/** Create, reply and forward: who may write where, once per uuid, within the rates. */
import type { Accepted } from './accepted.ts'
import { acceptContent, sendableTypes } from './content.ts'
import { pushMessage } from './hearing.ts'
import { objectOf, textOf } from './json.ts'
import { restMessage } from './message-view.ts'
import { addMessage, currentCard, requireMessage } from './messages.ts'
import { directChat, findUser, isAvailable } from './people.ts'
import { type Call, data, type Platform, type Reply, type Route } from './platform.ts'
import { invalidField, invalidParam, Refusal } from './refusal.ts'
import { makeDirect } from './rooms.ts'
import { needs } from './scopes.ts'
import type { App, Chat, Message, User } from './state.ts'

const receiverTypes = ['open_id', 'union_id', 'user_id', 'email', 'chat_id']

/** The calls that make messages. */
export function sendRoutes(platform: Platform): Route[] {
  return [
    {
      method: 'POST',
      path: '/open-apis/im/v1/messages',
      needs: needs.send,
      handle: (call) => create(platform, call),
    },
    {
      method: 'POST',
      path: '/open-apis/im/v1/messages/:message_id/reply',
      needs: needs.send,
      handle: (call) => reply(platform, call),
    },
    {
      method: 'POST',
      path: '/open-apis/im/v1/messages/:message_id/forward',
      needs: needs.send,
      handle: (call) => forward(platform, call),
    },
  ]
}

function create(platform: Platform, call: Call): Reply {
  const body = objectOf(call.body)
  const chat = receiver(platform, call, textOf(body['receive_id']))
  return post(platform, call, chat, {})
}

function reply(platform: Platform, call: Call): Reply {
  const parent = requireMessage(platform.state, call.params['message_id'] ?? '')
  const chat = chatOfMessage(platform, parent)
  const inTopic = objectOf(call.body)['reply_in_thread'] === true
  if (inTopic && !chat.topicsAllowed) throw new Refusal(230071, 'The group does not support topics')
  if (parent.type === 'merge_forward' && inTopic)
    throw new Refusal(230072, 'An aggregated message cannot open a topic')
  return post(platform, call, chat, { parent, inTopic })
}

function post(
  platform: Platform,
  call: Call,
  chat: Chat,
  relation: { parent?: Message; inTopic?: boolean },
): Reply {
  const body = objectOf(call.body)
  const type = textOf(body['msg_type'])
  if (type === '') throw invalidField('msg_type', 'msg_type is required')
  if (typeof body['content'] !== 'string') throw invalidField('content', 'content must be a JSON string')
  if (!sendableTypes.has(type)) throw invalidParam('invalid msg_type')
  checkMayPost(platform, call.app, chat)
  return once(platform, call, chat, () => {
    const accepted = acceptContent(platform, call.app, chat, type, textOf(body['content']), call.raw.length)
    return place(platform, call.app, chat, accepted, relation)
  })
}

function place(
  platform: Platform,
  app: App,
  chat: Chat,
  accepted: Accepted,
  relation: { parent?: Message; inTopic?: boolean },
): Message {
  const message = addMessage(platform.state, {
    chat,
    sender: { kind: 'bot', id: app.appId },
    ...accepted,
    ...relation,
  })
  const entity = accepted.cardId === undefined ? undefined : platform.state.cards.get(accepted.cardId)
  if (entity) entity.messageId = message.messageId
  pushMessage(platform, chat, message)
  return message
}

/** Runs `send` unless this app's uuid already made a message within the hour. */
function once(platform: Platform, call: Call, chat: Chat, send: () => Message): Reply {
  const uuid = textOf(objectOf(call.body)['uuid'] ?? call.query.get('uuid'))
  if (uuid.length > 50) throw invalidField('uuid', 'the max len is 50')
  const known = uuid === '' ? undefined : platform.uuids.find(call.app.appId, uuid)
  const first = known === undefined ? undefined : platform.state.messages.get(known)
  if (first && platform.state.settings.repeatedUuid === 'refused')
    throw new Refusal(230049, 'The message is being sent')
  if (first) return data(restMessage(platform.state, call.app, first))
  takeTurn(platform, `chat ${chat.chatId}`)
  const message = send()
  if (uuid !== '') platform.uuids.remember(call.app.appId, uuid, message.messageId)
  return data(restMessage(platform.state, call.app, message))
}

/** 230020 when a chat or message had its five turns of this second. */
export function takeTurn(platform: Platform, key: string): void {
  const { rateLimits, messagesPerSecond } = platform.state.settings
  if (rateLimits && platform.rates.take(key, messagesPerSecond, 1000) > 0)
    throw new Refusal(230020, 'The operation triggers the frequency limit')
}

/** The chat of a message; refuses with 231003. */
export function chatOfMessage(platform: Platform, message: Message): Chat {
  const chat = platform.state.chats.get(message.chatId)
  if (!chat) throw new Refusal(231003, 'The message is not found')
  return chat
}

function receiver(platform: Platform, call: Call, id: string): Chat {
  const type = call.query.get('receive_id_type') ?? 'open_id'
  if (!receiverTypes.includes(type))
    throw invalidField('receive_id_type', `options: [${receiverTypes.join(',')}]`)
  if (id === '') throw invalidField('receive_id', 'receive_id is required')
  if (type !== 'chat_id') return directWith(platform, call.app, requireUser(platform, call.app, type, id))
  const chat = platform.state.chats.get(id)
  if (!chat) throw new Refusal(230034, 'The receive_id is invalid')
  return chat
}

function requireUser(platform: Platform, app: App, type: string, id: string): User {
  const { user, otherApp } = findUser(platform.state, app, type, id)
  if (user) return user
  if (otherApp) throw new Refusal(99992361, 'open_id cross app')
  if (type === 'open_id') throw new Refusal(99992351, 'The request contains an invalid open_id')
  throw new Refusal(230034, 'The receive_id is invalid')
}

function directWith(platform: Platform, app: App, user: User): Chat {
  if (!app.bot) throw new Refusal(230006, 'Bot ability is not activated')
  if (user.resigned) throw new Refusal(230029, 'The user has resigned')
  if (user.tenantKey !== app.tenantKey)
    throw new Refusal(230038, 'Cross-tenant direct messages are not allowed')
  if (!isAvailable(app, user.userId))
    throw new Refusal(230013, 'The user is outside the availability of the bot')
  return directChat(platform.state, user.userId, app.appId) ?? makeDirect(platform.state, user, app)
}

/** Every reason why a bot may not write into a chat at all. */
function checkMayPost(platform: Platform, app: App, chat: Chat): void {
  if (chat.disbanded) throw new Refusal(232009, 'The chat has been dissolved')
  if (!app.bot) throw new Refusal(230006, 'Bot ability is not activated')
  if (!chat.bots.has(app.appId)) throw new Refusal(230002, 'The bot is not in the group')
  if (chat.muted) throw new Refusal(230018, 'The group settings do not allow this message')
  const [partner] = chat.members
  if (chat.mode !== 'p2p' || partner === undefined) return
  if (!isAvailable(app, partner)) throw new Refusal(230013, 'The user is outside the availability of the bot')
  if (platform.state.users.get(partner)?.resigned) throw new Refusal(230029, 'The user has resigned')
}

function forward(platform: Platform, call: Call): Reply {
  const message = requireMessage(platform.state, call.params['message_id'] ?? '')
  const source = chatOfMessage(platform, message)
  if (!source.bots.has(call.app.appId)) throw new Refusal(230002, 'The bot is not in the group')
  const chat = receiver(platform, call, textOf(objectOf(call.body)['receive_id']))
  checkMayPost(platform, call.app, chat)
  if (!mayForward(platform, message)) throw new Refusal(230027, 'The card does not allow forwarding')
  return once(platform, call, chat, () => copyMessage(platform, message, chat, call.app))
}

/** False for cards that forbid it and for cards that are streaming. */
export function mayForward(platform: Platform, message: Message): boolean {
  if (message.type !== 'interactive') return true
  const entity = message.cardId === undefined ? undefined : platform.state.cards.get(message.cardId)
  const streaming = entity !== undefined && entity.streamingUntil > platform.state.clock.monotonic()
  return !streaming && objectOf(currentCard(platform.state, message)['config'])['enable_forward'] !== false
}

function copyMessage(platform: Platform, message: Message, chat: Chat, app: App): Message {
  const content: unknown =
    message.type === 'interactive' ? currentCard(platform.state, message) : JSON.parse(message.content)
  return addMessage(platform.state, {
    chat,
    sender: { kind: 'bot', id: app.appId },
    type: message.type,
    content,
    mentions: message.mentions,
    forwardedFrom: message.messageId,
  })
}
