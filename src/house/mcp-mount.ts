/** `/mcp` of the web server: remote clients, and people who come back from a login at a server of ours. */
import type { RequestHandler } from 'express'
import type { Mount } from '../http/application.ts'
import { clientDocument } from '../mcp/client/login.ts'
import type { HttpDeps } from '../mcp/server/http.ts'
import type { Translate } from '../protocol/ports.ts'
import type { HouseMcp } from './mcp.ts'

interface MountDeps extends Omit<HttpDeps, 'closing'> {
  /** The language of the service, for whoever comes back from a login. */
  readonly text: Translate
}

/** The `/mcp` routes: Streamable HTTP, the login callback and the client document. */
export function mcpMount(deps: MountDeps, mcp: HouseMcp): Mount {
  return {
    path: '/mcp',
    load: async ({ closing }) => {
      const [{ Router }, { createMcpHandler }] = await Promise.all([
        import('express'),
        import('../mcp/server/http.ts'),
      ])
      const router = Router()
      router.get('/login', loginHandler(deps, mcp))
      router.get('/client.json', (_request, response) => {
        const id = mcp.logins.clientMetadataUrl()
        const document = clientDocument('Yizhan', mcp.logins.redirectUrl())
        response.json({ client_id: id, ...document, token_endpoint_auth_method: 'none' })
      })
      router.all('/', await createMcpHandler({ ...deps, closing }))
      return router
    },
  }
}

/** Whoever comes back is known by the state alone, which was given to one administrator and counts once. */
function loginHandler({ text, logger }: Pick<MountDeps, 'text' | 'logger'>, mcp: HouseMcp): RequestHandler {
  return async (request, response) => {
    const { code, state, error } = request.query
    const say = (status: number, key: string): void =>
      void response
        .status(status)
        .type('text')
        .send(`${text(key)}\n`)
    const server = typeof state === 'string' ? mcp.logins.take(state) : undefined
    if (error !== undefined) return say(400, 'mcp.login.refused')
    const link = server === undefined ? undefined : mcp.servers.link(server)
    if (!link || typeof code !== 'string') return say(400, 'mcp.login.unknown')
    try {
      await link.finishLogin(code)
    } catch (cause) {
      logger.warn({ mcpServer: server, error: cause }, 'a login at an MCP server could not be finished')
      return say(400, 'mcp.login.failed')
    }
    say(200, 'mcp.login.done')
  }
}
