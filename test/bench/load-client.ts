/** Sends ready requests over keep-alive sockets, closed loop: a connection sends its next when answered. */
import { connect, type Socket } from 'node:net'

export interface LoadResult {
  readonly perSecond: number
  /** Milliseconds, one per request. */
  readonly latencies: Float64Array
  readonly refused: number
}

const LIMIT_MS = 120_000

export function sendAll(port: number, requests: readonly Buffer[], connections: number): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const latencies = new Float64Array(requests.length)
    const sockets: Socket[] = []
    let next = 0
    let done = 0
    let refused = 0
    let started = 0
    const timer = setTimeout(
      () => finish(new Error(`only ${done} of ${requests.length} requests were answered`)),
      LIMIT_MS,
    )
    const finish = (error?: Error): void => {
      clearTimeout(timer)
      for (const socket of sockets) socket.destroy()
      if (error) reject(error)
      else
        resolve({ perSecond: (requests.length / (performance.now() - started)) * 1_000, latencies, refused })
    }
    const open = (): void => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      sockets.push(socket)
      let index = -1
      let sentAt = 0
      let received = ''
      const send = (): void => {
        const request = requests[next]
        if (!request) return
        index = next++
        sentAt = performance.now()
        socket.write(request)
      }
      socket.setEncoding('latin1')
      socket.on('data', (chunk: string) => {
        received += chunk
        const end = answerEnd(received)
        if (end === undefined) return
        latencies[index] = performance.now() - sentAt
        if (received.slice(9, 12) !== '200') refused++
        received = received.slice(end)
        if (++done === requests.length) finish()
        else send()
      })
      socket.on('error', finish)
      socket.on('connect', () => {
        started ||= performance.now()
        send()
      })
    }
    for (let i = 0; i < connections; i++) open()
  })
}

/** Index behind the first complete answer, or undefined. */
function answerEnd(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n')
  if (head < 0) return undefined
  const length = /content-length: *(\d+)/i.exec(text.slice(0, head))?.[1]
  const end = head + 4 + Number(length ?? 0)
  return text.length >= end ? end : undefined
}
