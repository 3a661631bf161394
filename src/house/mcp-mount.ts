/** `/mcp` of the web server: remote clients, and people who come back from a login at a server of ours. */
import type { Mount } from '../http/application.ts'
import { clientDocument } from '../mcp/client/login.ts'
import type { HttpDeps } from '../mcp/server/http.ts'
import type { HouseMcp } from './mcp.ts'

export function mcpMount(deps: Omit<HttpDeps, 'closing'>, mcp: HouseMcp): Mount {
  return {
    path: '/mcp',
    load: async ({ closing }) => {
      const [{ Router }, { createMcpHandler }] = await Promise.all([
        import('express'),
        import('../mcp/server/http.ts'),
      ])
      const router = Router()
      router.get('/login', async (request, response) => {
        const { code, state } = request.query
        const server = typeof state === 'string' ? mcp.logins.take(state) : undefined
        const link = server === undefined ? undefined : mcp.servers.link(server)
        if (!link || typeof code !== 'string') {
          response
            .status(400)
            .type('text')
            .send('This login is not known here or has expired. Send /mcp again.\n')
          return
        }
        await link.finishLogin(code)
        response.type('text').send('Logged in. You can close this page.\n')
      })
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
