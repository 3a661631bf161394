/** One try to hand an envelope to an app, by socket or request address, faults included. */
import type { DeliveryEntry, DeliveryFault } from './control.ts'
import { cardAction, type Envelope } from './envelope.ts'
import type { Faults } from './faults.ts'
import type { Journal } from './journal.ts'
import type { Sockets } from './sockets.ts'
import type { App, State } from './state.ts'
import { pushWebhook } from './webhook.ts'

const answerMs = 3000

type Effect = DeliveryFault['effect'] | undefined

/** How one try ended. `text` and `answer` are the response's body. */
export interface Attempt {
  readonly outcome: 'ok' | 'failed' | 'timeout' | 'no_connection' | 'lost' | 'refused' | 'dns'
  readonly status?: number
  readonly text?: string
  readonly answer?: unknown
}

/** Sends one try at a time. */
export interface Transmission {
  /** Sends once and resolves with how it ended; `attempt` counts from 1. */
  send(app: App, envelope: Envelope, attempt: number): Promise<Attempt>
  /** Resolves when no try waits for an answer. */
  idle(): Promise<void>
}

/** Starts idle. */
export function createTransmission(deps: {
  state: State
  journal: Journal
  faults: Faults
  sockets: Sockets
}): Transmission {
  const { state, journal, faults, sockets } = deps
  const held: (() => void)[] = []
  const idlers: (() => void)[] = []
  let busy = 0

  const carry = async (app: App, envelope: Envelope, effect: Effect): Promise<Attempt> => {
    const isCallback = envelope.eventType === cardAction
    const mode = isCallback ? app.callbackMode : app.eventMode
    const payload = JSON.stringify({ schema: '2.0', header: envelope.header, event: envelope.event })
    if (effect === 'lose') return { outcome: 'lost' }
    if (mode === 'none') return { outcome: 'no_connection' }
    if (mode === 'webhook') {
      const url = isCallback ? app.callbackUrl || app.webhookUrl : app.webhookUrl
      return pushWebhook(state, app, url, payload, { timeoutMs: answerMs, signed: true })
    }
    return sockets.send(app.appId, payload, {
      type: isCallback ? state.settings.cardFrameType : 'event',
      fragments: effect === 'fragment',
      early: effect === 'early',
    })
  }

  const noted = async (app: App, envelope: Envelope, attempt: number, effect: Effect): Promise<Attempt> => {
    const { appId, eventId, eventType, messageId } = envelope
    const via = eventType === cardAction ? app.callbackMode : app.eventMode
    const about = messageId === undefined ? {} : { messageId }
    const end = journal.delivery({ appId, eventId, eventType, via, attempt, ...about })
    const received = await carry(app, envelope, effect)
    const result: Attempt = effect === 'ignore_answer' ? { outcome: 'timeout' } : received
    end(journalled(result))
    return result
  }

  return {
    send: async (app, envelope, attempt) => {
      const effect = faults.takeDelivery(app.appId, envelope.eventType)?.effect
      if (effect === 'hold') await new Promise<void>((resolve) => held.push(resolve))
      busy++
      try {
        const first = noted(app, envelope, attempt, effect)
        if (effect === 'duplicate') await noted(app, envelope, attempt, undefined)
        return await first
      } finally {
        busy--
        if (effect !== 'hold') for (const release of held.splice(0)) release()
        if (busy === 0) for (const wake of idlers.splice(0)) wake()
      }
    },
    idle: () => (busy === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve))),
  }
}

function journalled(result: Attempt): Pick<DeliveryEntry, 'outcome' | 'status' | 'answer'> {
  const { outcome, status, answer } = result
  if (outcome === 'refused' || outcome === 'dns') return { outcome: 'no_connection' }
  return { outcome, ...(status === undefined ? {} : { status }), ...(answer === undefined ? {} : { answer }) }
}
