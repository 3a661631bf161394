/** Logins that a person has been asked to finish: where to go, and which server a returning person belongs to. */
import type { Clock } from '../../protocol/ports.ts'

/** Kept in memory: after a restart a person begins again. */
export interface Logins {
  /** Address at which authorization servers hand people back. */
  redirectUrl(): string
  /** Address of the document that describes this client; servers take it only over https. */
  clientMetadataUrl(): string | undefined
  begin(state: string, server: string, url: URL): void
  /** Where a person must go to log in at a server. */
  addressOf(server: string): string | undefined
  /** The server a returning person belongs to; once only. */
  take(state: string): string | undefined
}

const KEPT_MS = 10 * 60_000
const MOST = 100

/** @param baseUrl address of this service as a person's browser reaches it */
export function createLogins(deps: { readonly baseUrl: () => string; readonly clock: Clock }): Logins {
  const waiting = new Map<string, { readonly server: string; readonly url: string; readonly until: number }>()
  const sweep = (): void => {
    const now = deps.clock.monotonic()
    for (const [state, login] of waiting) if (login.until < now || waiting.size > MOST) waiting.delete(state)
  }
  return {
    clientMetadataUrl: () => {
      const url = new URL('/mcp/client.json', deps.baseUrl())
      return url.protocol === 'https:' ? url.href : undefined
    },
    redirectUrl: () => new URL('/mcp/login', deps.baseUrl()).href,
    begin: (state, server, url) => {
      sweep()
      for (const [other, login] of waiting) if (login.server === server) waiting.delete(other)
      waiting.set(state, { server, url: url.href, until: deps.clock.monotonic() + KEPT_MS })
    },
    addressOf: (server) => [...waiting.values()].find((login) => login.server === server)?.url,
    take: (state) => {
      sweep()
      const login = waiting.get(state)
      waiting.delete(state)
      return login?.server
    },
  }
}
