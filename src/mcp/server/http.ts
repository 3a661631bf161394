/**
 * `/mcp`: Streamable HTTP for remote clients. Knows tokens, sessions and limits; hosts and origins are
 * the guard's affair, which stands before it. A session belongs to the caller that opened it.
 */
import type { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { RequestHandler, Response } from 'express'
import type { Clock, Logger, Random } from '../../protocol/ports.ts'
import type { Caller, Callers } from './callers.ts'
import { createProtocolServer, type ProtocolDeps } from './protocol.ts'
import { createRate } from './rate.ts'
import { createSessions, type Sessions } from './sessions.ts'

/** `closing` aborts when the service stops and ends every open session. */
export interface HttpDeps extends ProtocolDeps {
  readonly callers: Callers
  readonly callsPerMinute: number
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly closing: AbortSignal
}

const BODY_BYTES = 4 * 1_048_576

export async function createMcpHandler(deps: HttpDeps): Promise<RequestHandler> {
  const sessions = createSessions(deps.clock)
  const rate = createRate(deps.clock, deps.callsPerMinute)
  deps.closing.addEventListener('abort', sessions.closeAll)
  return async (request, response) => {
    const caller = deps.callers.byHeader(request.headers.authorization)
    if (!caller) return unauthorised(response)
    if (!rate.take(caller.name)) return answer(response, 429, -32_000, 'too many requests; wait a minute')
    const id = request.headers['mcp-session-id']
    if (id !== undefined) {
      const transport = sessions.find(String(id), caller)
      if (!transport) return answer(response, 404, -32_001, 'Session not found')
      return transport.handleRequest(request, response)
    }
    if (request.method !== 'POST') return answer(response, 400, -32_000, 'an Mcp-Session-Id is needed')
    if (!sessions.hasRoom(caller)) return answer(response, 503, -32_000, 'too many sessions; close some')
    const transport = await openTransport(caller, sessions, deps)
    await transport.handleRequest(request, response)
    // What was no greeting has opened no session.
    if (transport.sessionId === undefined) await transport.close()
  }
}

/** One server and one transport per client, never shared (M10). */
async function openTransport(
  caller: Caller,
  sessions: Sessions,
  deps: HttpDeps,
): Promise<StreamableHTTPServerTransport> {
  const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js')
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => deps.random.id(20),
    maxRequestBodySize: BODY_BYTES,
    onsessioninitialized: (id) => sessions.add(id, caller, transport),
    onsessionclosed: sessions.remove,
  })
  const server = await createProtocolServer(caller, deps)
  server.onclose = () => {
    if (transport.sessionId !== undefined) sessions.remove(transport.sessionId)
  }
  await server.connect(transport as Parameters<typeof server.connect>[0])
  return transport
}

function unauthorised(response: Response): void {
  response.set('www-authenticate', 'Bearer realm="yizhan"')
  answer(response, 401, -32_001, 'a token is needed: Authorization: Bearer …')
}

function answer(response: Response, status: number, code: number, message: string): void {
  response.status(status).json({ jsonrpc: '2.0', error: { code, message }, id: null })
}
