/**
 * Hands events to apps: over a socket or a request address, at once and then after 15 s, 5 min, 1 h
 * and 6 h until one is acknowledged within 3 s. Callbacks go out once.
 */
import type { DeliveryEntry, DeliveryFault } from './control.ts'
import type { Faults } from './faults.ts'
import type { Journal } from './journal.ts'
import type { JsonObject } from './json.ts'
import type { Sockets } from './sockets.ts'
import type { App, State } from './state.ts'
import { pushWebhook } from './webhook.ts'

const retryMs = [15_000, 300_000, 3_600_000, 21_600_000]
const answerMs = 3000

export interface Envelope {
  readonly appId: string
  readonly eventId: string
  readonly eventType: string
  readonly messageId?: string
  readonly header: JsonObject
  readonly event: JsonObject
}

/** How one try ended. `text` and `answer` are the response's body. */
export interface Attempt {
  readonly outcome: 'ok' | 'failed' | 'timeout' | 'no_connection' | 'lost' | 'refused' | 'dns'
  readonly status?: number
  readonly text?: string
  readonly answer?: unknown
}

export interface Delivery {
  /** Delivers an event with retries if the app is published, has a bot and subscribed to it. Returns its id. */
  event(app: App, eventType: string, event: JsonObject, messageId?: string): string
  /** Sends a callback once; the caller reads the answer. */
  callback(
    app: App,
    eventType: string,
    event: JsonObject,
    messageId: string,
  ): Promise<{ eventId: string; attempt: Attempt }>
  /** Delivers the last event about this message again. */
  redeliver(messageId: string, options: { newEventId: boolean; appId?: string }): void
  idle(): Promise<void>
  stop(): void
}

export function createDelivery(deps: {
  state: State
  journal: Journal
  faults: Faults
  sockets: Sockets
}): Delivery {
  const { state, journal, faults, sockets } = deps
  const timers = new Set<() => void>()
  const sent = new Map<string, Envelope>()
  const held: (() => void)[] = []
  const idlers: (() => void)[] = []
  let busy = 0
  let stopped = false

  const envelope = (app: App, eventType: string, event: JsonObject, messageId?: string): Envelope => {
    const eventId = state.ids.hex(32)
    const inMicroseconds = eventType === 'card.action.trigger'
    const header = {
      event_id: eventId,
      event_type: eventType,
      create_time: inMicroseconds ? `${state.clock.now()}000` : `${state.clock.now()}`,
      token: app.verificationToken,
      app_id: app.appId,
      tenant_key: app.tenantKey,
    }
    return {
      appId: app.appId,
      eventId,
      eventType,
      header,
      event,
      ...(messageId === undefined ? {} : { messageId }),
    }
  }

  const transmit = async (
    app: App,
    mode: 'ws' | 'webhook' | 'none',
    message: Envelope,
    effect: DeliveryFault['effect'] | undefined,
  ): Promise<Attempt> => {
    if (effect === 'lose') return { outcome: 'lost' }
    const payload = JSON.stringify({ schema: '2.0', header: message.header, event: message.event })
    const isCard = message.eventType === 'card.action.trigger'
    if (mode === 'none') return { outcome: 'no_connection' }
    if (mode === 'webhook') {
      const url = isCard ? app.callbackUrl || app.webhookUrl : app.webhookUrl
      return pushWebhook(state, app, url, payload, { timeoutMs: answerMs, signed: true })
    }
    return sockets.send(app.appId, payload, {
      type: isCard ? state.settings.cardFrameType : 'event',
      fragments: effect === 'fragment',
      early: effect === 'early',
    })
  }

  const attemptOnce = async (app: App, message: Envelope, attempt: number): Promise<Attempt> => {
    const mode = message.eventType === 'card.action.trigger' ? app.callbackMode : app.eventMode
    const effect = faults.takeDelivery(app.appId, message.eventType)?.effect
    if (effect === 'hold') await new Promise<void>((resolve) => held.push(resolve))
    busy++
    try {
      const end = journal.delivery({
        appId: app.appId,
        eventId: message.eventId,
        eventType: message.eventType,
        via: mode,
        attempt,
        ...(message.messageId === undefined ? {} : { messageId: message.messageId }),
      })
      const sending = transmit(app, mode, message, effect)
      if (effect === 'duplicate') await transmit(app, mode, message, undefined)
      const received = await sending
      const result: Attempt = effect === 'ignore_answer' ? { outcome: 'timeout' } : received
      end(journalled(result))
      return result
    } finally {
      busy--
      if (effect !== 'hold') for (const release of held.splice(0)) release()
      if (busy === 0) for (const wake of idlers.splice(0)) wake()
    }
  }

  const run = async (app: App, message: Envelope, attempt: number): Promise<void> => {
    const result = await attemptOnce(app, message, attempt)
    const wait = retryMs[attempt - 1]
    if (result.outcome === 'ok' || wait === undefined || stopped) return
    const cancel = state.clock.after(wait, () => {
      timers.delete(cancel)
      start(app, message, attempt + 1)
    })
    timers.add(cancel)
  }

  const start = (app: App, message: Envelope, attempt: number): void => {
    run(app, message, attempt).catch((error: unknown) => state.logger.error({ error }, 'delivery failed'))
  }

  return {
    event: (app, eventType, event, messageId) => {
      const message = envelope(app, eventType, event, messageId)
      if (!app.published || !app.bot || !app.events.has(eventType)) return message.eventId
      if (messageId !== undefined) sent.set(`${app.appId}\n${messageId}`, message)
      start(app, message, 1)
      return message.eventId
    },
    callback: async (app, eventType, event, messageId) => {
      const message = envelope(app, eventType, event, messageId)
      return { eventId: message.eventId, attempt: await attemptOnce(app, message, 1) }
    },
    redeliver: (messageId, { newEventId, appId }) => {
      for (const message of sent.values()) {
        const app = state.apps.get(message.appId)
        if (!app || message.messageId !== messageId || (appId !== undefined && appId !== app.appId)) continue
        const eventId = newEventId ? state.ids.hex(32) : message.eventId
        start(app, { ...message, eventId, header: { ...message.header, event_id: eventId } }, 1)
      }
    },
    idle: () => (busy === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve))),
    stop: () => {
      stopped = true
      for (const cancel of timers) cancel()
    },
  }
}

function journalled(result: Attempt): Pick<DeliveryEntry, 'outcome' | 'status' | 'answer'> {
  const refused = result.outcome === 'refused' || result.outcome === 'dns'
  return {
    outcome: result.outcome === 'refused' || result.outcome === 'dns' ? 'no_connection' : result.outcome,
    ...(result.status === undefined || refused ? {} : { status: result.status }),
    ...(result.answer === undefined ? {} : { answer: result.answer }),
  }
}
