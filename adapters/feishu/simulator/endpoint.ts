/** `POST /callback/ws/endpoint`: who may connect, and the one-time address to connect to. */
import type { Faults } from './faults.ts'
import { objectOf, textOf } from './json.ts'
import type { State } from './state.ts'

const maxConnections = 50

/** The door of the long connection. */
export interface Endpoint {
  /** The answer; always with `data`, which the SDK insists on. */
  answer(body: unknown, host: string, open: (appId: string) => number): EndpointAnswer
  /** Spends a ticket and returns its app. */
  redeem(ticket: string): string | undefined
  /** What endpoint and pong tell the client, seconds. All four fields matter: a pong without them floods. */
  clientConfig(): Record<string, number>
}

/** Status and body of the answer, and whom it was for. */
export interface EndpointAnswer {
  readonly appId: string
  readonly status: number
  readonly body: { readonly code: number; readonly msg: string; readonly data: Record<string, unknown> }
}

/** Starts without tickets; a ticket opens one socket. */
export function createEndpoint(state: State, faults: Faults): Endpoint {
  const tickets = new Map<string, string>()
  const clientConfig = (): Record<string, number> => ({
    ReconnectCount: state.settings.reconnectCount,
    ReconnectInterval: state.settings.reconnectInterval,
    ReconnectNonce: state.settings.reconnectNonce,
    PingInterval: state.settings.pingInterval,
  })
  return {
    clientConfig,
    answer: (body, host, open) => {
      const { AppID, AppSecret } = objectOf(body)
      const appId = textOf(AppID)
      const { status, code, msg } = verdict(state, faults, {
        appId,
        secret: textOf(AppSecret),
        open: open(appId),
      })
      if (code !== 0) return { appId, status, body: { code, msg, data: {} } }
      const ticket = state.ids.hex(32)
      tickets.set(ticket, appId)
      // The SDK parses the whole address as a query, so service_id must not come first.
      const query = `fpid=493&aid=552564&device_id=${state.ids.hex(16)}&access_key=${state.ids.hex(32)}&service_id=33554678&ticket=${ticket}`
      const data = { URL: `ws://${host}/ws/v2?${query}`, ClientConfig: clientConfig() }
      return { appId, status: 200, body: { code: 0, msg: '', data } }
    },
    redeem: (ticket) => {
      const appId = tickets.get(ticket)
      tickets.delete(ticket)
      return appId
    },
  }
}

function verdict(
  state: State,
  faults: Faults,
  asked: { appId: string; secret: string; open: number },
): { code: number; msg: string; status: number } {
  const fault = faults.takeEndpoint(asked.appId)
  if (fault) return { code: fault.code, msg: fault.message ?? 'fault', status: fault.status ?? 200 }
  const app = state.apps.get(asked.appId)
  if (!app || app.secret !== asked.secret) return { code: 514, msg: 'auth failed', status: 200 }
  if (!app.bot) return { code: 403, msg: 'the app has no bot ability', status: 200 }
  if (asked.open >= maxConnections) return { code: 1000040350, msg: 'too many connections', status: 200 }
  return { code: 0, msg: '', status: 200 }
}
