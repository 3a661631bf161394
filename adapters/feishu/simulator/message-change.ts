/** Edit, card update and recall: own messages, within their windows. */
import { checkCard } from './card-check.ts'
import { cardVersion } from './card-tree.ts'
import { acceptContent } from './content.ts'
import { pushRecall } from './hearing.ts'
import { isObject, type JsonObject, objectOf, parseJson, textOf } from './json.ts'
import { chatOfMessage, takeTurn } from './message-send.ts'
import { restMessage } from './message-view.ts'
import { changed, currentCard, requireMessage } from './messages.ts'
import { type Call, data, type Platform, type Reply, type Route } from './platform.ts'
import { invalidCard, invalidField, invalidParam, Refusal } from './refusal.ts'
import { needs } from './scopes.ts'
import type { App, Chat, Message } from './state.ts'

const dayMs = 86_400_000
const cardDays = 14
const maxEdits = 20
const cardBytes = 30 * 1024

/** PUT, PATCH and DELETE of a message, and the delayed card update. */
export function changeRoutes(platform: Platform): Route[] {
  const path = '/open-apis/im/v1/messages/:message_id'
  return [
    { method: 'PUT', path, needs: needs.update, handle: (call) => edit(platform, call) },
    { method: 'PATCH', path, needs: needs.update, handle: (call) => updateCard(platform, call) },
    { method: 'DELETE', path, needs: needs.recall, handle: (call) => recall(platform, call) },
    {
      method: 'POST',
      path: '/open-apis/interactive/v1/card/update',
      needs: needs.nothing,
      handle: (call) => delayedUpdate(platform, call),
    },
  ]
}

function isOwn(app: App, message: Message): boolean {
  return message.sender.kind === 'bot' && message.sender.id === app.appId
}

function present(platform: Platform, call: Call): { message: Message; chat: Chat } {
  const message = requireMessage(platform.state, call.params['message_id'] ?? '')
  const chat = chatOfMessage(platform, message)
  if (chat.disbanded) throw new Refusal(232009, 'The chat has been dissolved')
  if (!call.app.bot) throw new Refusal(230006, 'Bot ability is not activated')
  if (!chat.bots.has(call.app.appId)) throw new Refusal(230002, 'The bot is not in the group')
  return { message, chat }
}

function edit(platform: Platform, call: Call): Reply {
  const body = objectOf(call.body)
  const type = textOf(body['msg_type'])
  if (type !== 'text' && type !== 'post') throw invalidField('msg_type', 'options: [text,post]')
  if (typeof body['content'] !== 'string') throw invalidField('content', 'content must be a JSON string')
  const { message, chat } = present(platform, call)
  if (!isOwn(call.app, message)) throw new Refusal(230071, 'The operator is not the sender of the message')
  if (message.edits >= maxEdits) throw new Refusal(230072, 'The message has been edited too often')
  if (platform.state.clock.now() - message.createdAt > dayMs)
    throw new Refusal(230075, 'The message is too old to be edited')
  takeTurn(platform, `message ${message.messageId}`)
  const accepted = acceptContent(platform, call.app, chat, type, textOf(body['content']), call.raw.length)
  // An edit of a card is answered with success and shows nothing, as reported by users of this call.
  if (message.type === type) {
    message.content = JSON.stringify(accepted.content)
    message.mentions = accepted.mentions
    touch(platform, message)
  }
  return data(restMessage(platform.state, call.app, message))
}

function touch(platform: Platform, message: Message): void {
  message.edits++
  message.updatedAt = platform.state.clock.now()
  changed(platform.state, message)
}

function updateCard(platform: Platform, call: Call): Reply {
  const text = objectOf(call.body)['content']
  if (typeof text !== 'string') throw invalidField('content', 'content must be a JSON string')
  const { message } = present(platform, call)
  if (message.type !== 'interactive') throw invalidParam('the message is not a card')
  if (!isOwn(call.app, message)) throw new Refusal(230027, 'The card was sent by another app')
  if (message.cardId !== undefined) throw invalidParam('a card entity is updated by cardkit')
  if (platform.state.clock.now() - message.createdAt > cardDays * dayMs)
    throw new Refusal(230031, 'The card is older than 14 days')
  if (Buffer.byteLength(text) > cardBytes)
    throw new Refusal(230025, 'The length of the message content reaches its limit')
  takeTurn(platform, `message ${message.messageId}`)
  const card = parseJson(text)
  if (!isObject(card)) throw invalidCard(200621, 'content is not in JSON format')
  replaceCard(platform, call.app, message, card)
  return data({})
}

/** Checks and puts a new card in place; both cards must be shared ones of the same schema. */
function replaceCard(platform: Platform, app: App, message: Message, card: JsonObject): void {
  const old = currentCard(platform.state, message)
  checkCard(platform.state, app, card)
  if (cardVersion(old) !== cardVersion(card)) throw invalidCard(200830, 'the schema of a card cannot change')
  if (!isShared(old) || !isShared(card)) throw invalidCard(300302, 'update_multi must be true in both cards')
  message.content = JSON.stringify(card)
  touch(platform, message)
}

function isShared(card: JsonObject): boolean {
  const flag = objectOf(card['config'])['update_multi']
  return cardVersion(card) === 2 ? flag !== false : flag === true
}

function recall(platform: Platform, call: Call): Reply {
  const message = requireMessage(platform.state, call.params['message_id'] ?? '')
  const chat = chatOfMessage(platform, message)
  if (!chat.bots.has(call.app.appId)) throw new Refusal(230002, 'The bot is not in the group')
  const owns = chat.owner === call.app.appId
  if (!isOwn(call.app, message) && !owns) throw new Refusal(230026, 'No permission to recall this message')
  if (platform.state.clock.now() - message.createdAt > platform.state.settings.recallWindowMs)
    throw new Refusal(230009, 'The message is too old to be recalled')
  message.recalled = true
  changed(platform.state, message)
  pushRecall(platform, chat, message, { kind: 'bot', id: call.app.appId })
  return data({})
}

function delayedUpdate(platform: Platform, call: Call): Reply {
  const { token, card } = objectOf(call.body)
  if (typeof token !== 'string' || !isObject(card)) throw new Refusal(10002, 'token and card are required')
  if (!token.startsWith('c-')) throw new Refusal(300020, 'token format is invalid')
  if (Buffer.byteLength(JSON.stringify(card)) > cardBytes) throw new Refusal(100000, 'the card is too large')
  const message = platform.state.messages.get(platform.clickTokens.spend(call.app.appId, token))
  if (!message || message.recalled) throw new Refusal(200000, 'the message was recalled')
  replaceCard(platform, call.app, message, card)
  return data({})
}
