/** A self-built app's callback: encrypted XML in, an empty 200 out, cards repainted afterwards by code. */
import { z } from 'zod'
import type { Receive } from '../../src/protocol/adapter.ts'
import type { Card } from '../../src/protocol/card.ts'
import { AppError } from '../../src/protocol/errors.ts'
import type { ActionEvent } from '../../src/protocol/inbound.ts'
import type { Clock, Logger } from '../../src/protocol/ports.ts'
import { EMPTY } from './aibot-callback.ts'
import { type AppPayload, appInboundOf, appSchema } from './app-inbound.ts'
import type { CallbackSecrets, PreviousSecrets } from './config.ts'
import { openRotating } from './verifier.ts'
import type { CallbackHandler } from './webhook.ts'
import { parseXml } from './xml.ts'

interface AppCallbackDeps {
  readonly botId: string
  readonly corpId: string
  readonly agentId: number
  readonly secrets: CallbackSecrets & { readonly previous?: PreviousSecrets | undefined }
  readonly clock: Clock
  readonly logger: Logger
  readonly receive: Receive
  /** Repaints a clicked card by its one-time code. */
  readonly repaint: (user: string, card: Card, taskId: string, responseCode: string) => Promise<void>
  /** Told of every user id as WeCom writes it. */
  readonly onUser: (id: string) => void
  /** Work that goes on after the acknowledgement. */
  readonly track: (work: Promise<void>) => void
}

/** Approval events carry the Approval app's own AgentID (doc 91815). */
const APPROVAL_AGENT = '3010040'
const envelopeSchema = z.looseObject({ xml: z.looseObject({ Encrypt: z.string().min(1) }) })

export function createAppCallback(deps: AppCallbackDeps): CallbackHandler {
  const keys = { ...deps.secrets, receiveId: deps.corpId }
  const open = (query: URLSearchParams, encrypt: string): string =>
    openRotating(keys, query, encrypt, deps.clock.now()).message

  const repaint = async (event: ActionEvent, user: string, card: Card): Promise<void> => {
    const { taskId = card.cardId, responseCode = '' } = event.handle ?? {}
    try {
      await deps.repaint(user, card, taskId, responseCode)
    } catch (error) {
      // The code is spent or too old; the decision was stored before and stays.
      deps.logger.warn({ error: String(error) }, 'wecom: a clicked app card could not be repainted')
    }
  }

  return {
    echo: (query) => open(query, query.get('echostr') ?? ''),
    post: async (query, body) => {
      const envelope = envelopeSchema.safeParse(parseXml(body))
      if (!envelope.success) throw new AppError('wecom.callback_refused', 'a callback without encryption')
      const content = appSchema.safeParse(parseXml(open(query, envelope.data.xml.Encrypt)))
      if (!content.success) return EMPTY
      const payload = content.data.xml
      refuseForeign(deps, payload)
      const event = appInboundOf(payload, deps.botId)
      if (event === undefined) return EMPTY
      deps.onUser(payload.FromUserName)
      const receipt = await deps.receive(event)
      if (event.type === 'action' && receipt.card)
        deps.track(repaint(event, payload.FromUserName, receipt.card))
      return EMPTY
    },
  }
}

function refuseForeign(deps: AppCallbackDeps, payload: AppPayload): void {
  const agents = [String(deps.agentId), APPROVAL_AGENT, undefined]
  if (payload.ToUserName === deps.corpId && agents.includes(payload.AgentID)) return
  throw new AppError('wecom.callback_foreign', 'a signed callback for another app')
}
