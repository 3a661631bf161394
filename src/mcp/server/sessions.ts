/** Sessions of remote clients: each belongs to the caller that opened it, and there are not too many (M10). */
import type { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Clock } from '../../protocol/ports.ts'
import type { Caller } from './callers.ts'

export interface Sessions {
  add(id: string, caller: Caller, transport: StreamableHTTPServerTransport): void
  remove(id: string): void
  /** The caller's own session; somebody else's is as unknown as one that never was. */
  find(id: string, caller: Caller): StreamableHTTPServerTransport | undefined
  /** Ends idle sessions; false when the caller, or the service, has as many as it may. */
  hasRoom(caller: Caller): boolean
  closeAll(): void
}

interface Session {
  readonly caller: string
  readonly transport: StreamableHTTPServerTransport
  usedAt: number
}

const MOST = 1_000
const MOST_PER_CALLER = 400
const IDLE_MS = 30 * 60_000

export function createSessions(clock: Clock): Sessions {
  const sessions = new Map<string, Session>()
  return {
    add: (id, caller, transport) => {
      sessions.set(id, { caller: caller.name, transport, usedAt: clock.monotonic() })
    },
    remove: (id) => void sessions.delete(id),
    find: (id, caller) => {
      const session = sessions.get(id)
      if (session?.caller !== caller.name) return undefined
      session.usedAt = clock.monotonic()
      return session.transport
    },
    hasRoom: (caller) => {
      for (const [id, session] of sessions) {
        if (session.usedAt >= clock.monotonic() - IDLE_MS) continue
        sessions.delete(id)
        void session.transport.close()
      }
      const own = [...sessions.values()].filter((session) => session.caller === caller.name)
      return sessions.size < MOST && own.length < MOST_PER_CALLER
    },
    closeAll: () => {
      for (const { transport } of sessions.values()) void transport.close()
      sessions.clear()
    },
  }
}
