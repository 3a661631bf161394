import type { AdapterDeps, SendOptions } from '../../../src/protocol/adapter.ts'
import type { Address } from '../../../src/protocol/address.ts'
import type { LiveState, SentMessage } from '../../../src/protocol/outbound.ts'
import { createCard } from '../api/cardkit.ts'
import type { Api } from '../api/client.ts'
import { isFinal, type LivePaint, paintLive } from '../card/live.ts'
import { isRefusedCard } from './answer.ts'
import { createStreamCard, type StreamCard } from './stream-card.ts'
import { deliver } from './target.ts'

/** A state of a run and the message that it answers. */
export interface LiveMessage {
  readonly live: LiveState
  readonly replyTo?: string | undefined
}

/** Live messages as CardKit cards with the typewriter. */
interface LiveStream {
  send(to: Address, message: LiveMessage, options: SendOptions): Promise<SentMessage>
  /** Shows `state` on a card; returns the handle for the next update. */
  update(
    card: { readonly cardId: string; readonly sequence: number },
    state: LiveState,
    options: SendOptions,
  ): Promise<SentMessage['handle']>
}

/** Cards whose content we remember; an older one is painted whole at its next update. */
const REMEMBERED = 500

/** Builds the streaming cards of one app. */
export function createLiveStream(api: Api, deps: Pick<AdapterDeps, 'text' | 'clock'>): LiveStream {
  const ground = { api, clock: deps.clock }
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

  const update: LiveStream['update'] = async ({ cardId, sequence }, state, options) => {
    const card = remember(cards.get(cardId) ?? createStreamCard(ground, cardId, sequence))
    const { latest } = options
    const show = (literal: boolean): Promise<void> =>
      isFinal(state)
        ? card.finish(paint(state, literal), options)
        : card.show(paint(state, literal), options, latest && (() => paint(latest(), literal)))
    try {
      await show(false)
    } catch (error) {
      if (!isRefusedCard(error)) throw error
      await show(true)
    }
    return { mode: 'cardkit', cardId, sequence: card.sequence() }
  }

  return {
    update,
    send: async (to, { live, replyTo }, options) => {
      const shown = paint(live, false)
      const cardId = await prepareCard(api, shown, options)
      const content = { type: 'card', data: { card_id: cardId } }
      const messageId = await deliver(api, to, { msgType: 'interactive', content }, replyTo, options)
      if (options.prepared) {
        // After an interrupted try the entity shows an older state, and nothing may follow this one.
        remember(createStreamCard(ground, cardId, 0))
        return { messageId, handle: await update({ cardId, sequence: 0 }, live, options) }
      }
      remember(createStreamCard(ground, cardId, 0, shown))
      return { messageId, handle: { mode: 'cardkit', cardId, sequence: 0 } }
    },
  }
}

/** Makes the entity, or takes the one that an interrupted try has reported. */
async function prepareCard(api: Api, shown: LivePaint, options: SendOptions): Promise<string> {
  const earlier = options.prepared
  if (earlier?.mode === 'cardkit' && typeof earlier.cardId === 'string') return earlier.cardId
  const cardId = await createCard(api, shown.card, options)
  await options.onPrepared?.({ mode: 'cardkit', cardId, sequence: 0 })
  return cardId
}
