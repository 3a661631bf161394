/**
 * Hands events to apps: at once, then after 15 s, 5 min, 1 h and 6 h until one try is acknowledged
 * within 3 s. Callbacks go out once.
 */
import { type Envelope, renameEvent, wrapEvent } from './envelope.ts'
import type { JsonObject } from './json.ts'
import type { App, State } from './state.ts'
import type { Attempt, Transmission } from './transmission.ts'

const retryMs = [15_000, 300_000, 3_600_000, 21_600_000]

/** The way of events to apps. */
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

/** Retries run by the clock of `state` until {@link Delivery.stop}. */
export function createDelivery(state: State, transmission: Transmission): Delivery {
  const timers = new Set<() => void>()
  const sent = new Map<string, Envelope>()
  let stopped = false

  const run = async (app: App, envelope: Envelope, attempt: number): Promise<void> => {
    const result = await transmission.send(app, envelope, attempt)
    const wait = retryMs[attempt - 1]
    if (result.outcome === 'ok' || wait === undefined || stopped) return
    const cancel = state.clock.after(wait, () => {
      timers.delete(cancel)
      start(app, envelope, attempt + 1)
    })
    timers.add(cancel)
  }
  const start = (app: App, envelope: Envelope, attempt: number): void => {
    run(app, envelope, attempt).catch((error: unknown) => state.logger.error({ error }, 'delivery failed'))
  }

  return {
    event: (app, eventType, event, messageId) => {
      const envelope = wrapEvent(state, app, eventType, event, messageId)
      if (!app.published || !app.bot || !app.events.has(eventType)) return envelope.eventId
      if (messageId !== undefined) sent.set(`${app.appId}\n${messageId}`, envelope)
      start(app, envelope, 1)
      return envelope.eventId
    },
    callback: async (app, eventType, event, messageId) => {
      const envelope = wrapEvent(state, app, eventType, event, messageId)
      return { eventId: envelope.eventId, attempt: await transmission.send(app, envelope, 1) }
    },
    redeliver: (messageId, { newEventId, appId }) => {
      for (const envelope of sent.values()) {
        const app = state.apps.get(envelope.appId)
        if (!app || envelope.messageId !== messageId || (appId !== undefined && appId !== app.appId)) continue
        start(app, newEventId ? renameEvent(state, envelope) : envelope, 1)
      }
    },
    idle: transmission.idle,
    stop: () => {
      stopped = true
      for (const cancel of timers) cancel()
    },
  }
}
