/**
 * Card entities: made once, sent once, changed by operations with a strictly rising sequence, streamed
 * for at most ten minutes at a time.
 */
import { createHash } from 'node:crypto'
import { checkCard } from './card-check.ts'
import {
  applyActions,
  insertElements,
  removeElement,
  replaceElement,
  streamText,
} from './cardkit-elements.ts'
import { isObject, type JsonObject, objectOf, parseJson, textOf } from './json.ts'
import { changed } from './messages.ts'
import { type Call, data, type Platform, type Reply, type Route } from './platform.ts'
import { Refusal } from './refusal.ts'
import { needs } from './scopes.ts'
import type { App, CardEntity } from './state.ts'

const cardBytes = 30 * 1024
const lifeMs = 14 * 86_400_000
const streamMs = 10 * 60_000
const maxSequence = 2 ** 31 - 1

/** The calls of `cardkit/v1`. */
export function cardkitRoutes(platform: Platform): Route[] {
  const one = '/open-apis/cardkit/v1/cards/:card_id'
  const element = `${one}/elements/:element_id`
  const route = (method: Route['method'], path: string, change: Operation): Route => ({
    method,
    path,
    needs: needs.cardkit,
    handle: (call) => operate(platform, call, change),
  })
  return [
    {
      method: 'POST',
      path: '/open-apis/cardkit/v1/cards',
      needs: needs.cardkit,
      handle: (call) => create(platform, call),
    },
    route('PUT', one, (entity, body) => replaceWhole(platform, entity, body)),
    route('PATCH', `${one}/settings`, (entity, body) => changeSettings(platform, entity, body['settings'])),
    route('POST', `${one}/batch_update`, (entity, body) =>
      applyActions(entity.card, body['actions'], (settings) => changeSettings(platform, entity, settings)),
    ),
    route('POST', `${one}/elements`, (entity, body) => insertElements(entity.card, body)),
    route('PUT', `${element}/content`, (entity, body, id) => {
      requireStreaming(platform, entity)
      streamText(entity.card, id, body['content'])
    }),
    route('PUT', element, (entity, body, id) => replaceElement(entity.card, id, body['element'], 'whole')),
    route('PATCH', element, (entity, body, id) =>
      replaceElement(entity.card, id, body['partial_element'], 'partial'),
    ),
    route('DELETE', element, (entity, _body, id) => removeElement(entity.card, id)),
  ]
}

type Operation = (entity: CardEntity, body: JsonObject, elementId: string) => void

/** True while the typewriter runs. */
export function isStreaming(platform: Pick<Platform, 'state'>, entity: CardEntity): boolean {
  return entity.streamingUntil > platform.state.clock.monotonic()
}

function requireStreaming(platform: Platform, entity: CardEntity): void {
  if (isStreaming(platform, entity)) return
  if (entity.streamingUntil > 0) throw new Refusal(200850, 'the streaming mode timed out')
  throw new Refusal(300309, 'the streaming mode is closed')
}

function readCard(platform: Platform, app: App, type: unknown, text: unknown): JsonObject {
  if (type !== 'card_json' || typeof text !== 'string')
    throw new Refusal(10002, 'type must be card_json and data a string')
  if (Buffer.byteLength(text) > cardBytes) throw new Refusal(200860, 'the card is too large')
  const card = parseJson(text)
  if (!isObject(card)) throw new Refusal(200220, 'the card is not valid JSON')
  if (card['schema'] !== '2.0') throw new Refusal(300303, 'only cards of schema 2.0 are supported')
  checkEntity(platform, app, card)
  return card
}

/** The card rules with the numbers of this API. */
function checkEntity(platform: Platform, app: App, card: JsonObject): void {
  try {
    checkCard(platform.state, app, card)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 230099) throw error
    const inner = Number(/ErrCode: (\d+)/.exec(error.message)?.[1])
    const over = error.message.includes('element count')
    throw new Refusal(over ? 300305 : inner === 300301 || inner === 300302 ? inner : 200220, error.message)
  }
}

function create(platform: Platform, call: Call): Reply {
  const body = objectOf(call.body)
  const card = readCard(platform, call.app, body['type'], body['data'])
  const entity: CardEntity = {
    cardId: String(7_000_000_000_000_000 + Math.floor(platform.state.random.float() * 1e15)),
    appId: call.app.appId,
    createdAt: platform.state.clock.monotonic(),
    card,
    sequence: 0,
    streamingUntil: 0,
    uuids: new Map(),
  }
  setStreaming(platform, entity)
  platform.state.cards.set(entity.cardId, entity)
  return data({ card_id: entity.cardId })
}

function setStreaming(platform: Platform, entity: CardEntity): void {
  const on = objectOf(entity.card['config'])['streaming_mode'] === true
  entity.streamingUntil = on ? platform.state.clock.monotonic() + streamMs : 0
}

function operate(platform: Platform, call: Call, change: Operation): Reply {
  const entity = requireEntity(platform, call)
  const body = objectOf(call.body)
  const { settings, clock } = platform.state
  if (settings.rateLimits && !settings.cardkitRateExempt) {
    const wait = platform.rates.take(`card ${entity.cardId}`, settings.cardOperationsPerSecond, 1000)
    if (wait > 0) throw tooManyOperations(wait)
  }
  if (clock.monotonic() - entity.createdAt > lifeMs) throw new Refusal(200750, 'the card has expired')
  if (isRepeat(entity, call, body)) return data({})
  const sequence = body['sequence']
  if (typeof sequence !== 'number' || !Number.isInteger(sequence) || sequence > maxSequence)
    throw new Refusal(300315, 'sequence must be an integer')
  if (sequence <= entity.sequence || sequence < 1) throw new Refusal(300317, 'sequence number compare failed')
  commit(platform, entity, (draft) => change(draft, body, call.params['element_id'] ?? ''), call.app)
  entity.sequence = sequence
  return data({})
}

function tooManyOperations(waitMs: number): Refusal {
  return new Refusal(99991400, 'request trigger frequency limit', {
    status: 429,
    headers: { 'x-ogw-ratelimit-limit': '10', 'x-ogw-ratelimit-reset': String(Math.ceil(waitMs / 1000)) },
  })
}

/** Applies a change to a copy and keeps it only if the card is still valid. */
function commit(platform: Platform, entity: CardEntity, change: (draft: CardEntity) => void, app: App): void {
  const draft = { ...entity, card: structuredClone(entity.card) }
  change(draft)
  checkEntity(platform, app, draft.card)
  if (Buffer.byteLength(JSON.stringify(draft.card)) > cardBytes)
    throw new Refusal(200860, 'the card is too large')
  entity.card = draft.card
  entity.streamingUntil = draft.streamingUntil
  const message = entity.messageId === undefined ? undefined : platform.state.messages.get(entity.messageId)
  if (!message) return
  message.edits++
  message.updatedAt = platform.state.clock.now()
  changed(platform.state, message)
}

function requireEntity(platform: Platform, call: Call): CardEntity {
  const entity = platform.state.cards.get(call.params['card_id'] ?? '')
  if (!entity) throw new Refusal(200740, 'the card does not exist')
  if (entity.appId !== call.app.appId) throw new Refusal(300311, 'the card belongs to another app')
  return entity
}

/** The same uuid with the same request is done once; with another request it is a conflict. */
function isRepeat(entity: CardEntity, call: Call, body: JsonObject): boolean {
  const uuid = textOf(body['uuid'])
  if (uuid === '') return false
  if (uuid.length > 64) throw new Refusal(300314, 'uuid is longer than 64')
  const request = createHash('sha256').update(call.raw).update(JSON.stringify(call.params)).digest('hex')
  const known = entity.uuids.get(uuid)
  if (known !== undefined && known !== request) throw new Refusal(200770, 'uuid conflict')
  entity.uuids.set(uuid, request)
  return known !== undefined
}

function replaceWhole(platform: Platform, entity: CardEntity, body: JsonObject): void {
  const card = objectOf(body['card'])
  const app = platform.state.apps.get(entity.appId)
  if (!app) throw new Refusal(200740, 'the card does not exist')
  entity.card = readCard(platform, app, card['type'], card['data'])
  setStreaming(platform, entity)
}

/** Settings count only inside `config`; a bare `streaming_mode` is accepted and does nothing. */
function changeSettings(platform: Platform, entity: CardEntity, text: unknown): void {
  const settings = isObject(text) ? text : parseJson(textOf(text))
  if (!isObject(settings)) throw new Refusal(10002, 'settings must be a JSON string')
  const config = settings['config']
  if (!isObject(config)) return
  entity.card['config'] = { ...objectOf(entity.card['config']), ...config }
  if ('streaming_mode' in config) setStreaming(platform, entity)
}
