import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

export interface ModelServer extends AsyncDisposable {
  readonly url: string
  /** Bodies and headers of the requests, as they came. */
  readonly requests: { readonly body: string; readonly headers: IncomingMessage['headers'] }[]
  /** Requests whose client went away before the answer was complete. */
  readonly aborted: Promise<void>
}

/** A loopback server that answers each request with the next handler; for what no mock library sends. */
export async function startModelServer(
  ...handlers: readonly ((response: ServerResponse) => void)[]
): Promise<ModelServer> {
  const requests: { body: string; headers: IncomingMessage['headers'] }[] = []
  let noteAbort = (): void => undefined
  const aborted = new Promise<void>((resolve) => {
    noteAbort = resolve
  })
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      const handler = handlers[Math.min(requests.length, handlers.length - 1)]
      requests.push({ body, headers: request.headers })
      response.on('close', () => {
        if (!response.writableFinished) noteAbort()
      })
      handler?.(response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    aborted,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Answers with a stream of `data:` lines; objects become JSON. Ends unless `open`. */
export const sse =
  (events: readonly (object | string)[], end: 'end' | 'open' | 'cut' = 'end') =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of events) {
      const named = typeof event === 'object' && 'type' in event ? `event: ${String(event.type)}\n` : ''
      response.write(`${named}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    }
    if (end === 'end') response.end()
    // Gives the written bytes time to leave before the socket is destroyed.
    if (end === 'cut') setImmediate(() => setImmediate(() => response.destroy()))
  }

export const json =
  (status: number, body: object, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
