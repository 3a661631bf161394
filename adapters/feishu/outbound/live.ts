/**
 * The evolving message of a run. First choice is a CardKit card with the typewriter; a tenant without
 * that scope gets a card that is patched; where even cards are refused, a line of text and the answer
 * as a message at the end. What was said is never lost on the way down.
 */
import type { AdapterDeps, SendOptions } from '../../../src/protocol/adapter.ts'
import type { Address } from '../../../src/protocol/address.ts'
import { isAppError } from '../../../src/protocol/errors.ts'
import type { LiveState, SentMessage } from '../../../src/protocol/outbound.ts'
import { createCard } from '../api/cardkit.ts'
import type { Api } from '../api/client.ts'
import { patchCard } from '../api/message.ts'
import { isFinal, type LivePaint, paintLive } from '../card/live.ts'
import { isRefusedCard, sendMarkdown, sendText } from './answer.ts'
import { parseHandle } from './handle.ts'
import { createStreamCard, type StreamCard } from './stream-card.ts'
import { deliver } from './target.ts'

interface LiveMessage {
  readonly live: LiveState
  readonly replyTo?: string | undefined
}

interface LiveOutbound {
  send(to: Address, message: LiveMessage, options: SendOptions): Promise<SentMessage>
  update(sent: SentMessage, to: Address, message: LiveMessage, options: SendOptions): Promise<SentMessage>
}

/** Cards whose content we remember; an older one is painted whole at its next update. */
const REMEMBERED = 500

/** Builds the live messages of one app. */
export function createLive(api: Api, deps: Pick<AdapterDeps, 'text' | 'logger'>): LiveOutbound {
  const cards = new Map<string, StreamCard>()

  const remember = (card: StreamCard): StreamCard => {
    cards.delete(card.cardId)
    cards.set(card.cardId, card)
    const oldest = cards.keys().next()
    if (cards.size > REMEMBERED && !oldest.done) cards.delete(oldest.value)
    return card
  }

  const paint = (state: LiveState, literal: boolean): LivePaint =>
    paintLive(state, { text: deps.text, streaming: !isFinal(state), literal })

  const sendCard = async (to: Address, message: LiveMessage, options: SendOptions): Promise<SentMessage> => {
    const { live, replyTo } = message
    const shown = paint(live, false)
    const cardId = await prepareCard(api, shown, options)
    const content = { type: 'card', data: { card_id: cardId } }
    const messageId = await deliver(api, to, { msgType: 'interactive', content }, replyTo, options)
    // After an interrupted try the entity may show an older state, so only a fresh one is trusted.
    remember(createStreamCard(api, cardId, 0, options.prepared ? undefined : shown))
    return { messageId, handle: { mode: 'cardkit', cardId, sequence: 0 } }
  }

  const sendPatchable = async (
    to: Address,
    message: LiveMessage,
    options: SendOptions,
  ): Promise<SentMessage> => {
    const { card } = paintLive(message.live, { text: deps.text })
    const wire = { msgType: 'interactive' as const, content: card }
    return { messageId: await deliver(api, to, wire, message.replyTo, options), handle: { mode: 'patch' } }
  }

  const sendPlain = async (to: Address, message: LiveMessage, options: SendOptions): Promise<SentMessage> => {
    const outgoing = { to, replyTo: message.replyTo }
    if (isFinal(message.live)) return sendMarkdown(api, outgoing, message.live.text, options)
    const { messageId } = await sendText(api, outgoing, message.live.label, options)
    return { messageId, handle: { mode: 'plain' } }
  }

  const updateCard = async (
    card: StreamCard,
    state: LiveState,
    options: SendOptions,
  ): Promise<Pick<SentMessage, 'handle'>> => {
    const show = isFinal(state) ? card.finish : card.show
    try {
      await show(paint(state, false), options)
    } catch (error) {
      if (!isRefusedCard(error)) throw error
      await show(paint(state, true), options)
    }
    return { handle: { mode: 'cardkit', cardId: card.cardId, sequence: card.sequence() } }
  }

  const updatePatch = async (
    messageId: string,
    state: LiveState,
    options: SendOptions,
  ): Promise<Pick<SentMessage, 'handle'>> => {
    try {
      await patchCard(api, messageId, paintLive(state, { text: deps.text }).card, options)
    } catch (error) {
      if (!isRefusedCard(error)) throw error
      await patchCard(api, messageId, paintLive(state, { text: deps.text, literal: true }).card, options)
    }
    return { handle: { mode: 'patch' } }
  }

  return {
    send: async (to, message, options) => {
      const ways = [sendCard, sendPatchable, sendPlain]
      for (const way of ways.slice(0, -1)) {
        try {
          return await way(to, message, options)
        } catch (error) {
          if (!isWorthAnotherWay(error)) throw error
          deps.logger.warn({ err: error }, 'feishu live card refused; a simpler form is used')
        }
      }
      return sendPlain(to, message, options)
    },
    update: async (sent, to, message, options) => {
      const { messageId } = sent
      const handle = parseHandle(sent.handle)
      const { live } = message
      if (handle.mode === 'plain') return isFinal(live) ? sendPlain(to, message, options) : sent
      try {
        if (handle.mode !== 'cardkit') return { messageId, ...(await updatePatch(messageId, live, options)) }
        const known = cards.get(handle.cardId) ?? createStreamCard(api, handle.cardId, handle.sequence)
        return { messageId, ...(await updateCard(remember(known), live, options)) }
      } catch (error) {
        if (!isWorthAnotherWay(error)) throw error
        deps.logger.warn({ err: error, messageId }, 'feishu live card is lost; a simpler form is used')
      }
      return goOnWithout(
        sent,
        handle.mode === 'cardkit',
        () => updatePatch(messageId, live, options),
        () =>
          isFinal(live)
            ? sendPlain(to, message, options)
            : Promise.resolve({ messageId, handle: { mode: 'plain' } }),
      )
    },
  }
}

/** After a lost CardKit card the message itself is patched; if that fails too, plain messages remain. */
async function goOnWithout(
  sent: SentMessage,
  wasCardKit: boolean,
  patch: () => Promise<Pick<SentMessage, 'handle'>>,
  plain: () => Promise<SentMessage>,
): Promise<SentMessage> {
  if (!wasCardKit) return plain()
  try {
    return { messageId: sent.messageId, ...(await patch()) }
  } catch (error) {
    if (!isWorthAnotherWay(error)) throw error
    return plain()
  }
}

async function prepareCard(api: Api, shown: LivePaint, options: SendOptions): Promise<string> {
  const earlier = options.prepared
  if (earlier?.mode === 'cardkit' && typeof earlier.cardId === 'string') return earlier.cardId
  const cardId = await createCard(api, shown.card, options)
  await options.onPrepared?.({ mode: 'cardkit', cardId, sequence: 0 })
  return cardId
}

const CHAT_TROUBLE = new Set([
  'feishu.bot_not_in_chat',
  'feishu.bot_disabled',
  'feishu.bad_secret',
  'feishu.chat_gone',
  'feishu.forbidden_by_chat',
  'feishu.ip_refused',
  'feishu.quota_used_up',
  'feishu.target_gone',
  'feishu.token_invalid',
  'feishu.topic_gone',
  'feishu.user_unavailable',
])

/** Trouble with the card may pass in another form; trouble with the chat, or a busy server, may not. */
function isWorthAnotherWay(error: unknown): boolean {
  return (
    isAppError(error) && error.code.startsWith('feishu.') && !error.retryable && !CHAT_TROUBLE.has(error.code)
  )
}
