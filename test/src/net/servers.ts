/** Servers on the loopback for a guarded fetch to meet, polite and not; closed when the test is over. */
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { createGuardedFetch, type GuardedFetchDeps } from '../../../src/net/guarded-fetch.ts'
import { createManualClock } from '../../support/clock.ts'

export async function serve(
  handler: RequestListener,
): Promise<{ port: number; server: Server; connections: () => number }> {
  let connections = 0
  const server = createServer({ maxHeaderSize: 1_000_000 }, handler)
  server.on('connection', () => connections++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: portOf(server), server, connections: () => connections }
}

export async function serveRaw(onSocket: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = []
  const server = createTcpServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    onSocket(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return portOf(server)
}

export function portOf(server: { address(): ReturnType<Server['address']> }): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

export const guarded = (deps: Partial<GuardedFetchDeps> = {}) =>
  createGuardedFetch({ allow: [], clock: createManualClock(), ...deps })

export const textOf = (body: Uint8Array): string => Buffer.from(body).toString('utf8')
