import { type RawData, WebSocket } from 'ws'
import { decodeFrame, encodeFrame, type Frame } from './frame.ts'
import type { State } from './state.ts'

/** One client on the long connection. */
export interface Connection {
  readonly appId: string
  /** True once the client pinged, false when it closed before. The SDK loses frames sent earlier. */
  readonly ready: Promise<boolean>
  /** Sends one data frame, or three shuffled fragments of it. A stalled connection swallows it. */
  write(id: string, payload: string, options: { type: string; fragments: boolean }): void
  close(code: number): void
  terminate(): void
  stall(stalled: boolean): void
}

/** What a connection reports. */
export interface ConnectionEvents {
  /** A control frame with type ping; returns the payload of the pong. */
  readonly ping: (service: number) => Buffer
  readonly acknowledged: (frame: Frame) => void
  readonly closed: (code: number) => void
}

/** Takes over an open socket; answers pings and closes on text (1003) or nonsense (1007). */
export function createConnection(
  state: State,
  appId: string,
  service: number,
  socket: WebSocket,
  events: ConnectionEvents,
): Connection {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  let stalled = false

  const receive = (data: RawData, binary: boolean): void => {
    if (!binary || !Buffer.isBuffer(data)) {
      socket.close(1003, 'binary frames only')
      return
    }
    const frame = decodeFrame(data)
    if (frame.method === 1) events.acknowledged(frame)
    if (frame.method !== 0 || frame.headers['type'] !== 'ping') return
    socket.send(encodeFrame({ ...frame, headers: { type: 'pong' }, payload: events.ping(frame.service) }))
    resolve(true)
  }
  socket.on('message', (data, binary) => {
    try {
      if (!stalled) receive(data, binary)
    } catch (error) {
      state.logger.warn({ appId, error }, 'unreadable frame')
      socket.close(1007, 'unreadable frame')
    }
  })
  socket.on('error', (error) => state.logger.debug({ appId, error }, 'socket error'))
  socket.on('close', (code) => {
    resolve(false)
    events.closed(code)
  })
  return {
    appId,
    ready: promise,
    write: (id, payload, { type, fragments }) => {
      if (stalled || socket.readyState !== WebSocket.OPEN) return
      for (const frame of dataFrames(id, payload, { type, fragments, service, logId: state.clock.now() }))
        socket.send(encodeFrame(frame))
    },
    close: (code) => socket.close(code),
    terminate: () => socket.terminate(),
    stall: (value) => {
      stalled = value
    },
  }
}

/** One data frame, or three fragments out of order. */
function dataFrames(
  id: string,
  payload: string,
  about: { type: string; fragments: boolean; service: number; logId: number },
): Frame[] {
  const bytes = Buffer.from(payload)
  const sum = about.fragments ? 3 : 1
  const size = Math.ceil(bytes.length / sum)
  const order = about.fragments ? [2, 0, 1] : [0]
  return order.map((seq) => ({
    seqId: seq + 1,
    logId: about.logId,
    service: about.service,
    method: 1,
    headers: { type: about.type, message_id: id, sum: `${sum}`, seq: `${seq}`, trace_id: `trace-${id}` },
    payload: bytes.subarray(seq * size, (seq + 1) * size),
  }))
}
