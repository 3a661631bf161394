/** Stands before `/mcp` and adds the token, because the suite has none. Hosts and origins pass unchanged. */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface TokenProxy {
  readonly url: string
  close(): Promise<void>
}

export async function openTokenProxy(target: string, token: string): Promise<TokenProxy> {
  const { hostname, port } = new URL(target)
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` }
    const { method, url: path } = incoming
    const passed = request({ hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    outgoing.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
