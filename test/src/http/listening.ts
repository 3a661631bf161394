/** The HTTP server of a test, and a client that may write what no HTTP client would. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import { createHttpServer, type HttpServerDeps } from '../../../src/http/server.ts'
import type { RawRequest } from '../../../src/protocol/adapter.ts'
import { createSystemClock } from '../../../src/system/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'

export const SMALL_BODY_BYTES = 256 * 1024

/** A server on a free port, closed when the test is over. */
export async function start(change: Partial<HttpServerDeps> = {}) {
  const seen: { botId: string; request: RawRequest }[] = []
  const logger = createCollectingLogger()
  const server = createHttpServer({
    webhooks: {
      limit: (botId) => (botId === 'ops' ? 1024 * 1024 : botId === 'oa' ? SMALL_BODY_BYTES : undefined),
      handle: async (botId, request) => {
        seen.push({ botId, request })
        return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"ok":true}' }
      },
    },
    health: { ready: async () => [{ check: 'database', ok: true, detail: '' }] },
    metrics: async () => ({ contentType: 'text/plain; version=0.0.4', text: 'up 1\n' }),
    mounts: [],
    clock: createSystemClock(),
    logger,
    ...change,
  })
  const { port, url } = await server.listen('127.0.0.1', 0)
  onTestFinished(() => server.close(100))
  return { server, port, url, seen, logger }
}

/** Writes raw bytes and returns everything that comes back until the socket closes. */
export async function raw(port: number, ...pieces: (string | Buffer)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('error', () => {})
  await once(socket, 'connect')
  for (const piece of pieces) socket.write(piece)
  await once(socket, 'close')
  return Buffer.concat(chunks).toString()
}
