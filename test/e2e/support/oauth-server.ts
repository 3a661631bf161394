/** An MCP server behind OAuth on loopback: the SDK's own endpoints, and a page on which a person agrees. */
import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { InvalidGrantError, InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import type {
  AuthorizationParams,
  OAuthServerProvider,
} from '@modelcontextprotocol/sdk/server/auth/provider.js'
import { mcpAuthRouter } from '@modelcontextprotocol/sdk/server/auth/router.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { OAuthClientInformationFull, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import express from 'express'

export interface OAuthServer {
  readonly url: string
  /** Every token that was ever given out. */
  readonly tokens: readonly string[]
  /** How often a person agreed, and how often a token was renewed without one. */
  consents(): number
  renewals(): number
  /** Access tokens end now; refresh tokens too when `forGood`. */
  expire(forGood?: boolean): void
  close(): Promise<void>
}

export async function openOAuthServer(): Promise<OAuthServer> {
  const app = express()
  const server = await new Promise<Server>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening))
  })
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ledger = createLedger()
  const provider = createProvider(ledger)
  app.use(mcpAuthRouter({ provider, issuerUrl: new URL(base), resourceServerUrl: new URL(`${base}/mcp`) }))
  app.post('/consent', express.urlencoded({ extended: false }), (request, response) => {
    const asked = ledger.asked.get(String((request.body as { id?: unknown }).id))
    if (!asked) return void response.status(400).send('unknown')
    ledger.consents += 1
    const back = new URL(asked.params.redirectUri)
    const code = randomUUID()
    ledger.codes.set(code, asked)
    back.searchParams.set('code', code)
    if (asked.params.state !== undefined) back.searchParams.set('state', asked.params.state)
    response.redirect(back.href)
  })
  const guard = requireBearerAuth({
    verifier: provider,
    resourceMetadataUrl: `${base}/.well-known/oauth-protected-resource/mcp`,
  })
  app.post('/mcp', guard, express.json(), async (request, response) => {
    const vault = new McpServer({ name: 'vault', version: '1' })
    vault.registerTool('open', { description: 'Opens the vault.' }, async () => ({
      content: [{ type: 'text', text: '保险箱里有一份合同' }],
    }))
    const transport = new StreamableHTTPServerTransport({})
    await vault.connect(transport as Parameters<typeof vault.connect>[0])
    await transport.handleRequest(request, response, request.body)
  })
  app.all('/mcp', guard, (_request, response) => void response.status(405).end())
  return {
    url: `${base}/mcp`,
    tokens: ledger.tokens,
    consents: () => ledger.consents,
    renewals: () => ledger.renewals,
    expire: (forGood = false) => {
      ledger.access.clear()
      if (forGood) ledger.refresh.clear()
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Asked {
  readonly client: OAuthClientInformationFull
  readonly params: AuthorizationParams
}

function createLedger() {
  return {
    ...{ consents: 0, renewals: 0, tokens: [] as string[] },
    asked: new Map<string, Asked>(),
    codes: new Map<string, Asked>(),
    access: new Set<string>(),
    refresh: new Set<string>(),
  }
}

function createProvider(ledger: ReturnType<typeof createLedger>): OAuthServerProvider {
  const clients = new Map<string, OAuthClientInformationFull>()
  const give = (): OAuthTokens => {
    const [access_token, refresh_token] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`]
    ledger.access.add(access_token)
    ledger.refresh.add(refresh_token)
    ledger.tokens.push(access_token, refresh_token)
    return { access_token, refresh_token, token_type: 'bearer', expires_in: 3_600 }
  }
  return {
    clientsStore: {
      getClient: (id) => clients.get(id),
      registerClient: (client) => {
        const registered = { ...client, client_id: randomUUID() }
        clients.set(registered.client_id, registered)
        return registered
      },
    },
    authorize: async (client, params, response) => {
      const id = randomUUID()
      ledger.asked.set(id, { client, params })
      response.send(
        `<!doctype html><title>Vault</title><h1>${client.client_name} wants to use the vault</h1>` +
          `<form method="post" action="/consent"><input type="hidden" name="id" value="${id}"><button>Allow</button></form>`,
      )
    },
    challengeForAuthorizationCode: async (_client, code) =>
      ledger.codes.get(code)?.params.codeChallenge ?? '',
    exchangeAuthorizationCode: async (_client, code) => {
      if (!ledger.codes.delete(code)) throw new InvalidGrantError('this code was used or never given')
      return give()
    },
    exchangeRefreshToken: async (_client, token) => {
      if (!ledger.refresh.delete(token)) throw new InvalidGrantError('this token is not known')
      ledger.renewals += 1
      return give()
    },
    verifyAccessToken: async (token) => {
      if (!ledger.access.has(token)) throw new InvalidTokenError('expired')
      return { token, clientId: 'any', scopes: [], expiresAt: Math.floor(Date.now() / 1_000) + 3_600 }
    },
  }
}
