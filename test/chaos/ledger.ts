/** An MCP server on the network that counts how often each errand was noted. It outlives the service. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'

export interface Ledger {
  readonly url: string
  /** Calls by tag. */
  readonly calls: ReadonlyMap<string, number>
  stop(): Promise<void>
}

const message = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z
    .looseObject({
      protocolVersion: z.string().optional(),
      arguments: z.looseObject({ tag: z.string().optional() }).optional(),
    })
    .optional(),
})

const TOOL = {
  name: 'note',
  description: 'Notes a tag in the ledger.',
  inputSchema: { type: 'object', properties: { tag: { type: 'string' } }, required: ['tag'] },
}

export async function startLedger(): Promise<Ledger> {
  const calls = new Map<string, number>()
  const resultOf = ({ method, params }: z.output<typeof message>): object => {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'ledger', version: '1' },
        }
      case 'tools/list':
        return { tools: [TOOL] }
      case 'tools/call': {
        const tag = params?.arguments?.tag ?? ''
        calls.set(tag, (calls.get(tag) ?? 0) + 1)
        return { content: [{ type: 'text', text: `noted ${tag}` }] }
      }
      default:
        return {}
    }
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk)
    const asked = message.parse(JSON.parse(body))
    if (asked.id === undefined) return void response.writeHead(202).end()
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: asked.id, result: resultOf(asked) }))
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    calls,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
