/** The wire to a server on the network, over the SDK's own transports, with bounds of ours around every answer. */
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { AppError } from '../../protocol/errors.ts'
import type { RemoteTarget } from './entry.ts'
import { ANSWER_BYTES } from './limits.ts'

/** A transport that can take the code of a finished login. */
export interface RemoteTransport extends Transport {
  finishAuth(code: string): Promise<void>
  terminateSession?(): Promise<void>
}

export interface RemoteTransportDeps {
  readonly login: OAuthClientProvider | undefined
  /** For addresses other than the server's own, such as an authorization server: reaches public ones only (M9). */
  readonly publicFetch: FetchLike
  /** Tests hand in a fetch of their own. */
  readonly ownFetch?: FetchLike
}

export async function createRemoteTransport(
  target: RemoteTarget,
  deps: RemoteTransportDeps,
): Promise<RemoteTransport> {
  const url = new URL(target.url)
  const options = {
    // The SDK follows a redirect only within the origin; to other addresses `boundedFetch` sends none of these (M9).
    requestInit: { headers: { ...target.headers } },
    fetch: boundedFetch(url, Object.keys(target.headers), deps.ownFetch ?? fetch, deps.publicFetch),
    ...(deps.login ? { authProvider: deps.login } : {}),
  }
  if (target.kind === 'sse') {
    const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js')
    return new SSEClientTransport(url, options)
  }
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
  return new StreamableHTTPClientTransport(url, options)
}

/**
 * The server's own origin by plain fetch, everything else by the guarded one and without the headers
 * that the entry gives to this server; every body is counted.
 */
function boundedFetch(server: URL, given: readonly string[], own: FetchLike, others: FetchLike): FetchLike {
  return async (input, init) => {
    const url = new URL(input)
    if (url.origin === server.origin) return bounded(await own(url, init))
    const headers = new Headers(init?.headers)
    for (const name of given) headers.delete(name)
    const fetchOther = isLoopback(server) && isLoopback(url) ? own : others
    return bounded(await fetchOther(url, { ...init, headers }))
  }
}

function isLoopback({ hostname }: URL): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

/** Breaks a body off that grows over the limit; in an event stream each line has the limit of its own. */
function bounded(response: Response): Response {
  if (!response.body) return response
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  let bytes = 0
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      const newline = isStream ? chunk.lastIndexOf(0x0a) : -1
      bytes = newline < 0 ? bytes + chunk.length : chunk.length - newline
      if (bytes > ANSWER_BYTES) {
        throw new AppError('mcp.too_large', `the answer is larger than ${ANSWER_BYTES / 1_048_576} MB`)
      }
      controller.enqueue(chunk)
    },
  })
  const { status, statusText, headers } = response
  const body = response.body.pipeThrough(counter)
  return new Response(body, { status, statusText, headers })
}
