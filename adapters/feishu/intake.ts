import type { Receive } from '../../src/protocol/adapter.ts'
import type { Logger, Translate } from '../../src/protocol/ports.ts'
import type { FeishuConfig } from './config.ts'
import type { Identity } from './identity.ts'
import type { InboundContext } from './inbound/envelope.ts'
import { readEvent } from './inbound/event.ts'
import { paintReceipt } from './receipt.ts'

interface Intake {
  /** What the readers know about ourselves by now. */
  context(): InboundContext
  /** Takes one proven payload; a rejection means that Feishu will deliver it again. */
  handle(payload: unknown): Promise<object>
  open(receive: Receive): void
  close(): void
}

/** An event must be answered within 3 s; asking who we are may take most of that, once. */
const IDENTITY_MS = 2_000

/** The way in that socket and webhook share. */
export function createIntake(
  config: FeishuConfig,
  deps: { readonly identity: Identity; readonly logger: Logger; readonly text: Translate },
): Intake {
  const { identity, logger } = deps
  let receive: Receive | undefined
  let known: InboundContext = {
    botId: config.id,
    appId: config.appId,
    botOpenId: undefined,
    answerAll: config.answerAll,
    everyone: deps.text('feishu.everyone'),
  }
  const context = (): InboundContext => {
    const botOpenId = identity.known()?.openId
    if (botOpenId !== known.botOpenId) known = { ...known, botOpenId }
    return known
  }
  return {
    context,
    open: (handler) => {
      receive = handler
    },
    close: () => {
      receive = undefined
    },
    handle: async (payload) => {
      if (!receive) throw new Error('the adapter is not running')
      // Without our own open_id no mention can be told, so the event is left for the next delivery.
      if (!identity.known()) await identity.ensure(AbortSignal.timeout(IDENTITY_MS))
      const reading = readEvent(payload, context())
      if (reading.type === 'ignored') {
        logger.debug({ reason: reading.reason }, 'feishu event ignored')
        return {}
      }
      return paintReceipt(await receive(reading.event), logger)
    },
  }
}
