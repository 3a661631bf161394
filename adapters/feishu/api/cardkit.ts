import { z } from 'zod'
import { cardBucket } from './bucket.ts'
import { type Api, type ApiCall, anyAnswer } from './client.ts'
import type { CallOptions } from './message.ts'

type CardOptions = Omit<CallOptions, 'key'>

const entitySchema = z.looseObject({ data: z.looseObject({ card_id: z.string().min(1) }) })

/** Makes a card entity: sent once, alive for 14 days. Returns its id. */
export async function createCard(api: Api, card: object, options: CardOptions): Promise<string> {
  const answer = await api.json(
    {
      api: 'cardkit.card.create',
      method: 'POST',
      path: '/open-apis/cardkit/v1/cards',
      json: { type: 'card_json', data: JSON.stringify(card) },
      priority: options.priority,
      signal: options.signal,
    },
    entitySchema,
  )
  return answer.data.card_id
}

/** Replaces everything. `sequence` must be larger than in any earlier operation on the card. */
export async function replaceCard(
  api: Api,
  cardId: string,
  card: object,
  sequence: number,
  options: CardOptions,
): Promise<void> {
  await operate(api, cardId, options, {
    api: 'cardkit.card.update',
    method: 'PUT',
    path: '',
    json: { card: { type: 'card_json', data: JSON.stringify(card) }, sequence },
  })
}

/**
 * Types on in one markdown element; `content` is its whole text so far, never empty. It is read when the
 * call starts, which may be long after it was asked for.
 */
export async function streamText(
  api: Api,
  cardId: string,
  element: { readonly id: string; readonly content: string },
  sequence: number,
  options: CardOptions,
): Promise<void> {
  await operate(api, cardId, options, {
    api: 'cardkit.element.content',
    method: 'PUT',
    path: `/elements/${encodeURIComponent(element.id)}/content`,
    json: {
      get content() {
        return element.content
      },
      sequence,
    },
  })
}

/**
 * Switches the typewriter on or off; it goes off by itself ten minutes after it was last switched on.
 * A setting without the `config` around it is accepted and ignored by Feishu.
 */
export async function setStreaming(
  api: Api,
  cardId: string,
  streaming: boolean,
  sequence: number,
  options: CardOptions,
): Promise<void> {
  await operate(api, cardId, options, {
    api: 'cardkit.card.settings',
    method: 'PATCH',
    path: '/settings',
    json: { settings: JSON.stringify({ config: { streaming_mode: streaming } }), sequence },
  })
}

async function operate(api: Api, cardId: string, options: CardOptions, call: ApiCall): Promise<void> {
  await api.json(
    {
      ...call,
      path: `/open-apis/cardkit/v1/cards/${encodeURIComponent(cardId)}${call.path}`,
      buckets: [cardBucket(cardId)],
      priority: options.priority,
      lane: cardId,
      signal: options.signal,
    },
    anyAnswer,
  )
}
