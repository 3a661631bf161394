/**
 * The long connection: hands out addresses, keeps sockets, sends data frames and waits for their
 * acknowledgement. Knows frames and tickets, not what an event means.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import type { Faults } from './faults.ts'
import { decodeFrame, encodeFrame, type Frame } from './frame.ts'
import type { Journal } from './journal.ts'
import { objectOf, parseJson, textOf } from './json.ts'
import type { State } from './state.ts'

const answerMs = 3000
const maxConnections = 50

export interface Acknowledgement {
  readonly outcome: 'ok' | 'failed' | 'timeout' | 'no_connection'
  readonly status?: number
  /** Decoded `data` of the acknowledgement: what the handler returned. */
  readonly answer?: unknown
}

export interface FrameOptions {
  readonly type: 'event' | 'card'
  readonly fragments?: boolean
  /** Send in the tick of the next upgrade instead of on a living connection. */
  readonly early?: boolean
}

export interface Sockets {
  /** Body of `POST /callback/ws/endpoint`; always with `data`, which the SDK insists on. */
  endpoint(body: unknown, host: string): { status: number; body: Record<string, unknown> }
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  send(appId: string, payload: string, options: FrameOptions): Promise<Acknowledgement>
  count(appId: string): number
  close(appId: string, code: number): void
  stall(appId: string, stalled: boolean): void
  stop(): void
}

interface Connection {
  readonly appId: string
  readonly service: number
  readonly socket: WebSocket
  /** True once the client pinged, false when it closed before. Frames sent earlier are lost by the SDK. */
  readonly ready: Promise<boolean>
  readonly settle: (ready: boolean) => void
  stalled: boolean
}

export function createSockets(deps: { state: State; journal: Journal; faults: Faults }): Sockets {
  const { state, journal, faults } = deps
  const server = new WebSocketServer({ noServer: true })
  const tickets = new Map<string, string>()
  const connections = new Set<Connection>()
  const waiting = new Map<string, (frame: Frame) => void>()
  const early = new Map<string, ((connection: Connection) => void)[]>()
  let sequence = 0

  const ofApp = (appId: string): Connection[] => [...connections].filter((one) => one.appId === appId)
  const clientConfig = (): Record<string, number> => ({
    ReconnectCount: state.settings.reconnectCount,
    ReconnectInterval: state.settings.reconnectInterval,
    ReconnectNonce: state.settings.reconnectNonce,
    PingInterval: state.settings.pingInterval,
  })

  const receive = (connection: Connection, data: RawData, binary: boolean): void => {
    if (connection.stalled) return
    if (!binary) return connection.socket.close(1003, 'binary frames only')
    if (!Buffer.isBuffer(data)) return
    const frame = decodeFrame(data)
    if (frame.method === 1) return waiting.get(frame.headers['message_id'] ?? '')?.(frame)
    if (frame.headers['type'] !== 'ping') return
    journal.connection({ appId: connection.appId, change: 'ping', detail: `service ${frame.service}` })
    const payload = Buffer.from(JSON.stringify(clientConfig()))
    connection.socket.send(encodeFrame({ ...frame, headers: { type: 'pong' }, payload }))
    connection.settle(true)
  }

  const accept = (appId: string, service: number, socket: WebSocket): void => {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const connection = { appId, service, socket, ready: promise, settle: resolve, stalled: false }
    connections.add(connection)
    journal.connection({ appId, change: 'open', detail: `service ${service}` })
    socket.on('message', (data, binary) => {
      try {
        receive(connection, data, binary)
      } catch (error) {
        state.logger.warn({ appId, error }, 'unreadable frame')
        socket.close(1007, 'unreadable frame')
      }
    })
    socket.on('error', (error) => state.logger.debug({ appId, error }, 'socket error'))
    socket.on('close', (code) => {
      connections.delete(connection)
      connection.settle(false)
      journal.connection({ appId, change: 'close', detail: `code ${code}` })
    })
    for (const send of early.get(appId)?.splice(0) ?? []) send(connection)
  }

  const write = (connection: Connection, id: string, payload: string, options: FrameOptions): void => {
    const bytes = Buffer.from(payload)
    const sum = options.fragments ? 3 : 1
    const size = Math.ceil(bytes.length / sum)
    const order = options.fragments ? [2, 0, 1] : [0]
    for (const seq of order) {
      if (connection.stalled || connection.socket.readyState !== WebSocket.OPEN) return
      const headers = {
        type: options.type,
        message_id: id,
        sum: `${sum}`,
        seq: `${seq}`,
        trace_id: `trace-${id}`,
      }
      connection.socket.send(
        encodeFrame({
          seqId: ++sequence,
          logId: state.clock.now(),
          service: connection.service,
          method: 1,
          headers,
          payload: bytes.subarray(seq * size, (seq + 1) * size),
        }),
      )
    }
  }

  const acknowledged = (id: string): Promise<Acknowledgement> =>
    new Promise((resolve) => {
      const finish = (result: Acknowledgement): void => {
        cancel()
        waiting.delete(id)
        resolve(result)
      }
      const cancel = state.clock.after(answerMs, () => finish({ outcome: 'timeout' }))
      waiting.set(id, (frame) => finish(readAcknowledgement(frame)))
    })

  const send: Sockets['send'] = async (appId, payload, options) => {
    const id = state.ids.hex(32)
    if (options.early) {
      const list = early.get(appId) ?? []
      early.set(appId, list)
      await new Promise<void>((resolve) => {
        list.push((connection) => {
          write(connection, id, payload, options)
          resolve()
        })
      })
      return acknowledged(id)
    }
    const open = ofApp(appId)
    const connection = open[Math.floor(state.random.float() * open.length)]
    if (!connection || !(await connection.ready)) return { outcome: 'no_connection' }
    const result = acknowledged(id)
    write(connection, id, payload, options)
    return result
  }

  return {
    send,
    endpoint: (body, host) => {
      const appId = textOf(objectOf(body)['AppID'])
      const answer = endpointAnswer(appId, textOf(objectOf(body)['AppSecret']), {
        state,
        faults,
        open: ofApp(appId).length,
      })
      journal.connection({ appId, change: 'endpoint', detail: `code ${answer.code}` })
      if (answer.code !== 0)
        return { status: answer.status, body: { code: answer.code, msg: answer.msg, data: {} } }
      const ticket = state.ids.hex(32)
      tickets.set(ticket, appId)
      const query = `fpid=493&aid=552564&device_id=${state.ids.hex(16)}&access_key=${state.ids.hex(32)}&service_id=33554678&ticket=${ticket}`
      const data = { URL: `ws://${host}/ws/v2?${query}`, ClientConfig: clientConfig() }
      return { status: 200, body: { code: 0, msg: '', data } }
    },
    upgrade: (request, socket, head) => {
      const query = new URL(request.url ?? '/', 'http://localhost').searchParams
      const ticket = query.get('ticket') ?? ''
      const appId = tickets.get(ticket)
      tickets.delete(ticket)
      if (appId === undefined) {
        socket.end(
          'HTTP/1.1 403 Forbidden\r\nhandshake-status: 514\r\nhandshake-msg: auth failed\r\ncontent-length: 0\r\n\r\n',
        )
        return
      }
      server.handleUpgrade(request, socket, head, (ws) => accept(appId, Number(query.get('service_id')), ws))
    },
    count: (appId) => ofApp(appId).length,
    close: (appId, code) => {
      for (const connection of ofApp(appId)) connection.socket.close(code)
    },
    stall: (appId, stalled) => {
      for (const connection of ofApp(appId)) connection.stalled = stalled
    },
    stop: () => {
      for (const connection of connections) connection.socket.terminate()
      server.close()
    },
  }
}

function readAcknowledgement(frame: Frame): Acknowledgement {
  const body = objectOf(parseJson(frame.payload.toString()))
  const status = typeof body['code'] === 'number' ? body['code'] : 0
  const data = textOf(body['data'])
  const answer = data === '' ? undefined : parseJson(Buffer.from(data, 'base64').toString())
  return { outcome: status === 200 ? 'ok' : 'failed', status, answer }
}

function endpointAnswer(
  appId: string,
  secret: string,
  deps: { state: State; faults: Faults; open: number },
): { code: number; msg: string; status: number } {
  const fault = deps.faults.takeEndpoint(appId)
  if (fault) return { code: fault.code, msg: fault.message ?? 'fault', status: fault.status ?? 200 }
  const app = deps.state.apps.get(appId)
  if (!app || app.secret !== secret) return { code: 514, msg: 'auth failed', status: 200 }
  if (!app.bot) return { code: 403, msg: 'the app has no bot ability', status: 200 }
  if (deps.open >= maxConnections) return { code: 1000040350, msg: 'too many connections', status: 200 }
  return { code: 0, msg: '', status: 200 }
}
