/** A press on a card: one callback, three seconds, and what the person sees of the answer. */
import { checkCard } from './card-check.ts'
import { formFault } from './card-forms.ts'
import { cardVersion, components, type Placed } from './card-tree.ts'
import { isStreaming } from './cardkit.ts'
import { actionOf, findTarget, impossible } from './click-target.ts'
import type { ClickOptions, ClickOutcome } from './control.ts'
import { cardAction } from './envelope.ts'
import { arrayOf, isObject, type JsonObject, objectOf } from './json.ts'
import { changed, currentCard } from './messages.ts'
import { chatOf, eventIds, userOf } from './people.ts'
import type { Platform } from './platform.ts'
import { Refusal } from './refusal.ts'
import type { App, Message } from './state.ts'
import type { Attempt } from './transmission.ts'

const dayMs = 86_400_000
const cardBytes = 30 * 1024
const toastTypes = ['info', 'success', 'error', 'warning'] as const

/** Resolves with the toast, new card or error number that the client shows; throws on impossible presses. */
export async function clickCard(platform: Platform, options: ClickOptions): Promise<ClickOutcome> {
  const message = requireCard(platform, options)
  const card = currentCard(platform.state, message)
  const placed = findTarget(card, options.on)
  if (placed.node['form_action_type'] === 'reset' || isLinkOnly(placed)) return {}
  if (formFault(components(card)) !== undefined) return { code: 200530 }
  if (isExpired(platform, message, card)) return { code: 200080 }
  const action = actionOf(card, placed, options)
  const app = platform.state.apps.get(message.sender.id)
  if (!app?.published || app.callbackMode === 'none') return { code: 200340 }
  const token = platform.clickTokens.issue(app.appId, message.messageId)
  const event = {
    operator: {
      tenant_key: userOf(platform.state, options.userId).tenantKey,
      ...eventIds(platform.state, { kind: 'user', id: options.userId }, app),
    },
    token,
    action,
    host: 'im_message',
    context: { open_message_id: message.messageId, open_chat_id: message.chatId },
  }
  const { eventId, attempt } = await platform.delivery.callback(app, cardAction, event, message.messageId)
  const outcome = readAnswer(platform, app, message, attempt)
  platform.clickTokens.answered(token)
  return { ...outcome, eventId }
}

function requireCard(platform: Platform, options: ClickOptions): Message {
  const message = platform.state.messages.get(options.messageId)
  if (message?.type !== 'interactive' || message.recalled)
    throw impossible('There is no card in that message (any more).')
  if (!chatOf(platform.state, message.chatId).members.has(options.userId))
    throw impossible('The person is not in the chat of this card.')
  const config = objectOf(currentCard(platform.state, message)['config'])
  if (
    message.forwardedFrom !== undefined &&
    config['enable_forward_interaction'] !== true &&
    cardVersion(currentCard(platform.state, message)) === 2
  )
    throw impossible('The forwarded copy of this card takes no clicks.')
  return message
}

function isLinkOnly({ node }: Placed): boolean {
  const behaviors = arrayOf(node['behaviors']).map(objectOf)
  return (
    behaviors.length > 0 &&
    behaviors.every((one) => one['type'] === 'open_url') &&
    node['form_action_type'] !== 'submit'
  )
}

function isExpired(platform: Platform, message: Message, card: JsonObject): boolean {
  const days = cardVersion(card) === 2 ? 14 : 30
  return platform.state.clock.now() - message.createdAt > days * dayMs
}

const failures: Readonly<Record<Exclude<Attempt['outcome'], 'ok'>, number>> = {
  no_connection: 200340,
  timeout: 200341,
  lost: 200341,
  refused: 200342,
  dns: 200343,
  failed: 200671,
}

function readAnswer(platform: Platform, app: App, message: Message, attempt: Attempt): ClickOutcome {
  if (attempt.outcome !== 'ok') return { code: failures[attempt.outcome] }
  const empty = attempt.answer === undefined || attempt.answer === null
  if (empty && (attempt.text ?? '').trim() === '') return {}
  if (!isObject(attempt.answer)) return { code: 200672 }
  const toast = readToast(attempt.answer['toast'])
  if (toast === 'invalid') return { code: 200672 }
  const shown = toast ? { toast } : {}
  if (attempt.answer['card'] === undefined) return shown
  const card = readCard(platform, app, message, attempt.answer['card'])
  if (typeof card === 'number') return { code: card }
  return card ? { ...shown, card } : shown
}

function readToast(value: unknown): ClickOutcome['toast'] | 'invalid' {
  if (value === undefined || value === null) return undefined
  const { type, content, i18n } = objectOf(value)
  const known = toastTypes.find((one) => one === (type ?? 'info'))
  const text = typeof content === 'string' ? content : objectOf(i18n)['zh_cn']
  return known && typeof text === 'string' ? { type: known, content: text } : 'invalid'
}

/** Puts the answered card in place; returns it, an error number, or undefined while streaming forbids it. */
function readCard(
  platform: Platform,
  app: App,
  message: Message,
  value: unknown,
): JsonObject | number | undefined {
  const { type, data } = objectOf(value)
  if (type !== 'raw' || !isObject(data) || Buffer.byteLength(JSON.stringify(data)) > cardBytes) return 200673
  if (cardVersion(data) !== cardVersion(currentCard(platform.state, message))) return 200830
  try {
    checkCard(platform.state, app, data)
  } catch (error) {
    if (error instanceof Refusal) return 200673
    throw error
  }
  const entity = message.cardId === undefined ? undefined : platform.state.cards.get(message.cardId)
  if (entity && isStreaming(platform, entity)) return undefined
  if (entity) entity.card = data
  else message.content = JSON.stringify(data)
  message.edits++
  message.updatedAt = platform.state.clock.now()
  changed(platform.state, message)
  return data
}
