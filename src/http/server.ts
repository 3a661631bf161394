/**
 * The one HTTP server. This room knows sockets, limits, hosts and origins; it refuses to know what a
 * webhook means, what a page shows or who may do what. Webhooks are answered first, on raw bytes and
 * without Express, because a platform's retry clock runs; everything else goes to an Express
 * application that is loaded at the first request that needs it.
 */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { AppError } from '../protocol/errors.ts'
import type { Clock, Logger } from '../protocol/ports.ts'
import type { ApplicationDeps, Mount } from './application.ts'
import { createHostRule } from './guard.ts'
import { createWebhooks, isWebhook, type WebhookRoutes } from './webhook.ts'

export interface HttpServerDeps {
  readonly webhooks: WebhookRoutes
  readonly health: ApplicationDeps['health']
  readonly metrics: ApplicationDeps['metrics']
  readonly mounts: readonly Mount[]
  /** Where `/` leads, such as `/playground/`; without it `/` is not found. */
  readonly home?: string
  /** `server.publicUrl`: its host is the only one beside loopback that pages and APIs answer to. */
  readonly publicUrl?: string
  readonly clock: Clock
  readonly logger: Logger
  /** Default {@link HTTP_LIMITS}. */
  readonly limits?: HttpLimits
}

export interface HttpLimits {
  /** How long a client may take for its headers, milliseconds. */
  readonly headersMs: number
  /** How long for the whole request, body included. */
  readonly requestMs: number
  /** Simultaneous sockets; further ones are closed at once. */
  readonly connections: number
}

/** Far over what a platform needs, far under what hurts. */
export const HTTP_LIMITS: HttpLimits = { headersMs: 10_000, requestMs: 15_000, connections: 1_000 }

/** Where the server can be reached once its port is open; a port of 0 in the settings is a real one here. */
export interface Listening {
  readonly host: string
  readonly port: number
  /** For a person's browser; a wildcard address becomes 127.0.0.1. */
  readonly url: string
}

export interface HttpServer {
  /** Binds. Rejects with `http.port_in_use`, `http.port_forbidden` or `http.address_unavailable`. */
  listen(host: string, port: number): Promise<Listening>
  /** Takes no new requests, lets running ones finish for `graceMs`, then cuts what is left. */
  close(graceMs?: number): Promise<void>
}

const KEEP_ALIVE_MS = 30_000
const DEFAULT_GRACE_MS = 5_000
const SWEEP_MS = 50

/**
 * The one server of a process: webhooks on raw bytes, everything else through Express. It opens no port before
 * `listen`; `close` lets what has begun end, for a bounded time.
 */
export function createHttpServer(deps: HttpServerDeps): HttpServer {
  const limits = deps.limits ?? HTTP_LIMITS
  const closing = new AbortController()
  const hosts = createHostRule(deps.publicUrl)
  const webhooks = createWebhooks(deps.webhooks, limits.requestMs, deps.clock, deps.logger)
  const application = lazily(() => loadApplication(deps, hosts, closing.signal))
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Node looks for expired requests every 30 s unless told, which would stretch both limits.
      connectionsCheckingInterval: Math.min(1_000, limits.headersMs),
      maxHeaderSize: 16 * 1024,
    },
    (request, response) => {
      if (isWebhook(request.url ?? '')) return webhooks(request, response)
      application().then(
        (handle) => handle(request, response),
        (error: unknown) => refuse(request, response, error, deps.logger),
      )
    },
  )
  server.maxHeadersCount = 100
  server.maxConnections = limits.connections
  server.on('drop', () => deps.logger.warn({}, 'connection dropped: too many sockets are open'))
  // Without a listener, a socket error would end the process.
  server.on('connection', (socket: Socket) => socket.on('error', () => socket.destroy()))

  return {
    listen: async (host, port) => {
      hosts.bind(host)
      await new Promise<void>((resolve, reject) => {
        server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)))
        server.listen({ host, port, exclusive: true }, resolve)
      })
      server.removeAllListeners('error')
      server.on('error', (error) => deps.logger.error({ error }, 'http server error'))
      return describe(host, server.address())
    },
    close: async (graceMs = DEFAULT_GRACE_MS) => {
      closing.abort()
      if (!server.listening) return
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      const cancel = deps.clock.after(graceMs, () => server.closeAllConnections())
      // `close` ends only the sockets that are idle now; those that finish a request later stay open.
      const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
      await closed
      clearInterval(sweep)
      cancel()
    },
  }
}

function lazily<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined
  return () => {
    loaded ??= load().catch((error: unknown) => {
      // The next request tries again; a broken mount must not need a restart.
      loaded = undefined
      throw error
    })
    return loaded
  }
}

async function loadApplication(
  deps: HttpServerDeps,
  hosts: ReturnType<typeof createHostRule>,
  closing: AbortSignal,
): Promise<RequestListener> {
  const { createApplication } = await import('./application.ts')
  return createApplication({
    hosts,
    closing,
    health: deps.health,
    metrics: deps.metrics,
    mounts: deps.mounts,
    clock: deps.clock,
    logger: deps.logger,
    ...(deps.home === undefined ? {} : { home: deps.home }),
  })
}

function refuse(request: IncomingMessage, response: ServerResponse, error: unknown, logger: Logger): void {
  logger.error({ error }, 'the web application could not be loaded')
  request.resume()
  response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
  response.end('The web application could not be loaded; the log says why.\n')
}

function describe(host: string, address: AddressInfo | string | null): Listening {
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return { host, port, url: `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}` }
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): AppError {
  const params = { host, port, reason: error.code ?? error.message }
  if (error.code === 'EADDRINUSE') {
    return new AppError('http.port_in_use', `port ${port} on ${host} is in use by another program`, {
      hint:
        `set server.port in yizhan.yaml to a free port (0 takes any), or stop the program that holds it: ` +
        `\`ss -ltnp 'sport = :${port}'\` (Linux) or \`lsof -iTCP:${port} -sTCP:LISTEN\` (macOS) names it`,
      params,
      cause: error,
    })
  }
  if (error.code === 'EACCES') {
    return new AppError('http.port_forbidden', `this user may not listen on port ${port}`, {
      hint: 'ports below 1024 belong to root: set server.port to 8787 and let a reverse proxy hold 443',
      params,
      cause: error,
    })
  }
  return new AppError(
    'http.address_unavailable',
    `cannot listen on ${host}: ${error.code ?? error.message}`,
    {
      hint:
        'server.host must be an address of this machine: 127.0.0.1 for this machine only, ' +
        '0.0.0.0 for every network; `ip addr` lists them',
      params,
      cause: error,
    },
  )
}
