import type { JsonObject } from './json.ts'
import type { App, State } from './state.ts'

/** An event as it goes to one app, the same on every try. */
export interface Envelope {
  readonly appId: string
  readonly eventId: string
  readonly eventType: string
  /** The message it is about, for redelivery. */
  readonly messageId?: string
  readonly header: JsonObject
  readonly event: JsonObject
}

/** The only event type that is a callback: sent once, its answer shown to a person. */
export const cardAction = 'card.action.trigger'

/** Wraps an event with a new id. The time is in milliseconds, for callbacks in microseconds. */
export function wrapEvent(
  state: State,
  app: App,
  eventType: string,
  event: JsonObject,
  messageId?: string,
): Envelope {
  const eventId = state.ids.hex(32)
  const now = state.clock.now()
  const header = {
    event_id: eventId,
    event_type: eventType,
    create_time: eventType === cardAction ? `${now}000` : `${now}`,
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

/** The same event under another id, as the platform sometimes redelivers. */
export function renameEvent(state: State, envelope: Envelope): Envelope {
  const eventId = state.ids.hex(32)
  return { ...envelope, eventId, header: { ...envelope.header, event_id: eventId } }
}
