/**
 * The AI bot's callbacks on their way in, from either transport: parse, learn names, hand to the core,
 * and answer clicks with what the core's receipt says.
 */
import type { Receipt, Receive } from '../../src/protocol/adapter.ts'
import type { Card } from '../../src/protocol/card.ts'
import type { ActionEvent, InboundEvent } from '../../src/protocol/inbound.ts'
import type { Clock, Logger } from '../../src/protocol/ports.ts'
import { paintCard, type TemplateCard } from './card.ts'
import { inboundOf } from './inbound.ts'
import type { NameMemory } from './mention.ts'
import { type AibotPayload, aibotSchema } from './payload.ts'

interface IntakeDeps {
  readonly botId: string
  readonly names: NameMemory
  readonly clock: Clock
  readonly logger: Logger
  /** Told of every user id as WeCom writes it. */
  readonly onUser: (id: string) => void
}

export interface Arrival {
  readonly payload: AibotPayload
  readonly event: InboundEvent
}

export interface Intake {
  /** Undefined for what is not a callback, or tells nothing. */
  read(body: unknown, reqId?: string): Arrival | undefined
}

export function createIntake(deps: IntakeDeps): Intake {
  return {
    read: (body, reqId) => {
      const parsed = aibotSchema.safeParse(body)
      if (!parsed.success) {
        deps.logger.warn(
          { issues: parsed.error.issues.length },
          'wecom: a callback of unknown shape was dropped',
        )
        return undefined
      }
      const payload = parsed.data
      if (payload.chattype === 'group' && payload.text) deps.names.observe(payload.text.content)
      if (payload.from) deps.onUser(payload.from.userid)
      const event = inboundOf(payload, {
        botId: deps.botId,
        names: deps.names.known(),
        receivedAt: deps.clock.now(),
        ...(reqId !== undefined && { reqId }),
      })
      if (event === undefined) deps.logger.debug({ msgid: payload.msgid }, 'wecom: a callback nobody needs')
      return event && { payload, event }
    },
  }
}

/** Waits between the tries of handing an event in; WeCom itself delivers over a socket only once. */
const RETRY_MS = [200, 1_000, 5_000, 15_000]

/** Hands an event in, again while the core cannot store it. Rejects with the last error. */
export async function handIn(
  receive: Receive,
  event: InboundEvent,
  clock: Clock,
  signal: AbortSignal,
): Promise<Receipt> {
  for (const wait of RETRY_MS) {
    try {
      return await receive(event)
    } catch {
      // The last try's error reaches the caller; until then storing may just be busy.
      await clock.sleep(wait, signal)
    }
  }
  return receive(event)
}

/** The body that answers a click with a card, for either transport. */
export function cardUpdate(
  card: Card,
  event: ActionEvent,
): { response_type: string; template_card: TemplateCard } {
  const taskId = event.handle?.taskId ?? card.cardId
  return { response_type: 'update_template_card', template_card: paintUpdate(card, taskId) }
}

/**
 * A card in answer to a click always appears: nothing is decided on it any more, so code that does not
 * fit is left out here instead of leaving the old buttons standing.
 */
function paintUpdate(card: Card, taskId: string): TemplateCard {
  try {
    return paintCard(card, 'aibot', { taskId })
  } catch {
    const blocks = card.blocks.filter((block) => block.type === 'text')
    return paintCard({ ...card, blocks }, 'aibot', { taskId })
  }
}
