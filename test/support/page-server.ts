import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'

export interface PageServer extends AsyncDisposable {
  /** `127.0.0.1:<port>`, as `web.allowHosts` names it. */
  readonly host: string
  readonly url: string
  /** Paths that were asked for, with their queries. */
  readonly asked: readonly string[]
}

/** A loopback web server; `answer` is called with the path of each request. */
export async function startPageServer(
  answer: (path: string, response: ServerResponse) => void,
): Promise<PageServer> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    answer(request.url ?? '', response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  return {
    host,
    url: `http://${host}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
