/**
 * The long connection: keeps the sockets of every app, gives each data frame to one of them at random
 * and waits for its acknowledgement. Knows frames and tickets, not what an event means.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { type Acknowledgement, createAcknowledgements } from './acknowledgements.ts'
import { type Connection, createConnection } from './connection.ts'
import { createEndpoint, type EndpointAnswer } from './endpoint.ts'
import type { Faults } from './faults.ts'
import type { Journal } from './journal.ts'
import type { State } from './state.ts'

/** How a data frame is sent. */
export interface FrameOptions {
  readonly type: 'event' | 'card'
  readonly fragments: boolean
  /** Send in the tick of the next upgrade instead of on a living connection. */
  readonly early: boolean
}

/** All long connections of all apps. */
export interface Sockets {
  endpoint(body: unknown, host: string): EndpointAnswer
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  send(appId: string, payload: string, options: FrameOptions): Promise<Acknowledgement>
  count(appId: string): number
  close(appId: string, code: number): void
  stall(appId: string, stalled: boolean): void
  stop(): void
}

const forbidden =
  'HTTP/1.1 403 Forbidden\r\nhandshake-status: 514\r\nhandshake-msg: auth failed\r\ncontent-length: 0\r\n\r\n'

/** Starts without connections; {@link Sockets.stop} ends them all. */
export function createSockets(deps: { state: State; journal: Journal; faults: Faults }): Sockets {
  const { state, journal, faults } = deps
  const server = new WebSocketServer({ noServer: true })
  const endpoint = createEndpoint(state, faults)
  const acknowledgements = createAcknowledgements(state.clock)
  const connections = new Set<Connection>()
  const upgrades = createUpgrades()

  const ofApp = (appId: string): Connection[] => [...connections].filter((one) => one.appId === appId)
  const count = (appId: string): number => ofApp(appId).length

  const accept = (appId: string, service: number, socket: WebSocket): void => {
    const connection = createConnection(state, appId, service, socket, {
      acknowledged: acknowledgements.take,
      ping: (from) => {
        journal.connection({ appId, change: 'ping', detail: `service ${from}` })
        return Buffer.from(JSON.stringify(endpoint.clientConfig()))
      },
      closed: (code) => {
        connections.delete(connection)
        journal.connection({ appId, change: 'close', detail: `code ${code}` })
      },
    })
    connections.add(connection)
    journal.connection({ appId, change: 'open', detail: `service ${service}` })
    upgrades.arrived(connection)
  }

  return {
    count,
    endpoint: (body, host) => {
      const answer = endpoint.answer(body, host, count)
      journal.connection({ appId: answer.appId, change: 'endpoint', detail: `code ${answer.body.code}` })
      return answer
    },
    upgrade: (request, socket, head) => {
      const query = new URL(request.url ?? '/', 'http://localhost').searchParams
      const appId = endpoint.redeem(query.get('ticket') ?? '')
      if (appId === undefined) socket.end(forbidden)
      else
        server.handleUpgrade(request, socket, head, (ws) =>
          accept(appId, Number(query.get('service_id')), ws),
        )
    },
    send: async (appId, payload, options) => {
      const id = state.ids.hex(32)
      const open = ofApp(appId)
      const chosen = open[Math.floor(state.random.float() * open.length)]
      const connection = options.early ? await upgrades.next(appId) : chosen
      if (!connection || !(options.early || (await connection.ready))) return { outcome: 'no_connection' }
      const answer = acknowledgements.wait(id)
      connection.write(id, payload, options)
      return answer
    },
    close: (appId, code) => {
      for (const connection of ofApp(appId)) connection.close(code)
    },
    stall: (appId, stalled) => {
      for (const connection of ofApp(appId)) connection.stall(stalled)
    },
    stop: () => {
      for (const connection of connections) connection.terminate()
      server.close()
    },
  }
}

interface Upgrades {
  /** Resolves in the tick of the app's next connection. */
  next(appId: string): Promise<Connection>
  arrived(connection: Connection): void
}

function createUpgrades(): Upgrades {
  const waiting = new Map<string, ((connection: Connection) => void)[]>()
  return {
    next: (appId) =>
      new Promise((resolve) => {
        waiting.set(appId, [...(waiting.get(appId) ?? []), resolve])
      }),
    arrived: (connection) => {
      for (const resolve of waiting.get(connection.appId) ?? []) resolve(connection)
      waiting.delete(connection.appId)
    },
  }
}
