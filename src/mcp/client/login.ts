/**
 * Logging in at a server by OAuth: the SDK walks the flow, this file keeps what it must remember and
 * says where a person has to go. Tokens are kept per server and address, and presented to no other.
 */
import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { AppError } from '../../protocol/errors.ts'

/** Everything a login needs later; JSON. */
interface Remembered {
  client?: OAuthClientInformationMixed
  tokens?: OAuthTokens
  verifier?: string
  discovery?: OAuthDiscoveryState
}

export interface LoginDeps {
  /** Where the authorization server sends the person back to. */
  readonly redirectUrl: string
  readonly clientName: string
  /** Set when the operator registered us there. */
  readonly registered?: { readonly clientId: string; readonly clientSecret?: string | undefined } | undefined
  /** HTTPS address of a document that describes this client, for servers that take one instead of a registration. */
  readonly clientMetadataUrl?: string | undefined
  readonly state: () => string
  readonly load: () => Promise<string | undefined>
  readonly save: (data: string) => Promise<void>
  /** A person has to open this address. */
  readonly onPersonNeeded: (url: URL) => void | Promise<void>
}

export async function createLogin(deps: LoginDeps): Promise<OAuthClientProvider> {
  const { registered, redirectUrl } = deps
  const data: Remembered = JSON.parse((await deps.load()) ?? '{}') as Remembered
  const remember = async (change: Partial<Remembered>): Promise<void> => {
    Object.assign(data, change)
    await deps.save(JSON.stringify(data))
  }
  return {
    redirectUrl,
    clientMetadata: clientDocument(deps.clientName, redirectUrl),
    ...(deps.clientMetadataUrl === undefined ? {} : { clientMetadataUrl: deps.clientMetadataUrl }),
    state: deps.state,
    clientInformation: () => data.client ?? (registered && asClient(registered)),
    saveClientInformation: (client) => remember({ client }),
    tokens: () => data.tokens,
    saveTokens: (tokens) => remember({ tokens }),
    saveCodeVerifier: (verifier) => remember({ verifier }),
    codeVerifier: () => {
      if (data.verifier !== undefined) return data.verifier
      throw new AppError('mcp.login_lost', 'this login was not begun here', {
        hint: 'Begin it again with /mcp.',
      })
    },
    saveDiscoveryState: (discovery) => remember({ discovery }),
    discoveryState: () => data.discovery,
    redirectToAuthorization: async (url) => {
      if (url.protocol !== 'https:' && !['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)) {
        throw new AppError('mcp.login_refused', `the login page is not https: ${url.origin}`)
      }
      await deps.onPersonNeeded(url)
    },
    invalidateCredentials: async (scope) => {
      if (scope === 'all' || scope === 'client') delete data.client
      if (scope === 'all' || scope === 'tokens') delete data.tokens
      if (scope === 'all' || scope === 'verifier') delete data.verifier
      if (scope === 'all' || scope === 'discovery') delete data.discovery
      await remember({})
    },
  }
}

/** What an authorization server is told about us. */
export function clientDocument(name: string, redirectUrl: string) {
  return {
    client_name: name,
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  }
}

function asClient({
  clientId,
  clientSecret,
}: NonNullable<LoginDeps['registered']>): OAuthClientInformationMixed {
  return { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) }
}
