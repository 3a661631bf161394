/**
 * `/mcp`: Streamable HTTP for remote clients. Knows tokens, sessions and limits; hosts and origins are
 * the guard's affair, which stands before it. A session belongs to the caller that opened it.
 */
import type { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Request, RequestHandler, Response } from 'express'
import type { Clock, Logger, Random } from '../../protocol/ports.ts'
import type { Caller, Callers } from './callers.ts'
import { createProtocolServer, type ProtocolDeps } from './protocol.ts'
import { createRate } from './rate.ts'

export interface HttpDeps extends ProtocolDeps {
  readonly callers: Callers
  readonly callsPerMinute: number
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly closing: AbortSignal
}

interface Session {
  readonly caller: string
  readonly transport: StreamableHTTPServerTransport
  usedAt: number
}

const MOST_SESSIONS = 1_000
const MOST_PER_CALLER = 400
const IDLE_MS = 30 * 60_000
const BODY_BYTES = 4 * 1_048_576

export async function createMcpHandler(deps: HttpDeps): Promise<RequestHandler> {
  const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js')
  const sessions = new Map<string, Session>()
  const rate = createRate(deps.clock, deps.callsPerMinute)
  deps.closing.addEventListener('abort', () => {
    for (const { transport } of sessions.values()) void transport.close()
  })
  const makeRoom = (caller: Caller): boolean => {
    const now = deps.clock.monotonic()
    for (const [id, session] of sessions) {
      if (session.usedAt >= now - IDLE_MS) continue
      sessions.delete(id)
      void session.transport.close()
    }
    const own = [...sessions.values()].filter((session) => session.caller === caller.name).length
    return sessions.size < MOST_SESSIONS && own < MOST_PER_CALLER
  }
  const open = async (caller: Caller): Promise<StreamableHTTPServerTransport> => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => deps.random.id(20),
      maxRequestBodySize: BODY_BYTES,
      onsessioninitialized: (id) => {
        sessions.set(id, { caller: caller.name, transport, usedAt: deps.clock.monotonic() })
      },
      onsessionclosed: (id) => void sessions.delete(id),
    })
    const server = await createProtocolServer(caller, deps)
    server.onclose = () => {
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId)
    }
    await server.connect(transport as Parameters<typeof server.connect>[0])
    return transport
  }
  /** The caller's own session; somebody else's is as unknown as one that never was (M10). */
  const find = (request: Request, caller: Caller): Session | undefined => {
    const session = sessions.get(String(request.headers['mcp-session-id']))
    return session?.caller === caller.name ? session : undefined
  }

  return async (request, response) => {
    const caller = deps.callers.byHeader(request.headers.authorization)
    if (!caller) return unauthorised(response)
    if (!rate.take(caller.name)) return answer(response, 429, -32_000, 'too many requests; wait a minute')
    if (request.headers['mcp-session-id'] !== undefined) {
      const session = find(request, caller)
      if (!session) return answer(response, 404, -32_001, 'Session not found')
      session.usedAt = deps.clock.monotonic()
      return session.transport.handleRequest(request, response)
    }
    if (request.method !== 'POST')
      return answer(response, 400, -32_000, 'Bad Request: Mcp-Session-Id header is required')
    if (!makeRoom(caller)) return answer(response, 503, -32_000, 'too many sessions; close some with DELETE')
    const transport = await open(caller)
    await transport.handleRequest(request, response)
    // What was no greeting has opened no session.
    if (transport.sessionId === undefined) await transport.close()
  }
}

function unauthorised(response: Response): void {
  response.set('www-authenticate', 'Bearer realm="yizhan"')
  answer(response, 401, -32_001, 'a token is needed: Authorization: Bearer …')
}

function answer(response: Response, status: number, code: number, message: string): void {
  response.status(status).json({ jsonrpc: '2.0', error: { code, message }, id: null })
}
