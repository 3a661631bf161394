/**
 * The only way out of a session's browser: a proxy on loopback that asks about every connection what
 * `web_fetch` asks. One resolution, every answer judged, exactly those addresses dialled, for pages,
 * frames, popups, workers and sockets alike (N1, N2, N7). The browser itself resolves no names.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, isIP, type LookupFunction, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ownAddresses } from '../net/address.ts'
import { approvedAddresses, type Resolver, systemResolver } from '../net/connector.ts'
import { isAllowed, parseTarget } from '../net/target.ts'
import { type AppError, isAppError } from '../protocol/errors.ts'

export interface EgressRule {
  /** `host` or `host:port` that may be private or on another port, as for `web_fetch`. */
  readonly allow: readonly string[]
  readonly resolver?: Resolver
  readonly own?: () => readonly string[]
}

export interface Refusal {
  readonly host: string
  readonly code: string
  readonly hint: string
}

export interface Egress {
  readonly port: number
  /** What was refused since the last call, each host once. */
  takeRefusals(): readonly Refusal[]
  close(): Promise<void>
}

const MAX_CONNECTIONS = 256
const IDLE_MS = 120_000
const MAX_REFUSALS = 20
/** Headers between a client and its proxy, and those that must not survive a hop. */
const HOP = /^(proxy-.*|connection|keep-alive|te|trailer|transfer-encoding|upgrade)$/

/** Parses and judges a URL; resolves to the addresses that may be dialled. Rejects like `web_fetch`. */
export async function judgeUrl(text: string, rule: EgressRule): Promise<{ url: URL; addresses: string[] }> {
  const url = parseTarget(text, rule.allow)
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = await approvedAddresses(hostname, portOf(url), {
    resolver: rule.resolver ?? systemResolver,
    own: rule.own ?? ownAddresses,
    allowed: (host, port) => isAllowed(host, port, rule.allow),
  })
  return { url, addresses }
}

export async function openEgress(rule: EgressRule): Promise<Egress> {
  const refused = new Map<string, Refusal>()
  const note = (host: string, error: unknown): string => {
    const { code, hint } = isAppError(error) ? error : unreachable
    // What merely fails to answer is no news: half the web's pages name such hosts.
    const isRule = code !== unreachable.code
    if (isRule && refused.size < MAX_REFUSALS) refused.set(host, { host, code, hint })
    return `${code}\n${hint}\n`
  }
  const sockets = new Set<Duplex>()
  let closing: Promise<void> | undefined
  const server = createServer((incoming, response) => void forward(incoming, response, rule, note))
  server.maxConnections = MAX_CONNECTIONS
  server.on('connection', (socket) => track(sockets, socket))
  server.on('connect', (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    void tunnel(incoming.url ?? '', client, head, rule, note, (socket) => track(sockets, socket))
  })
  server.on('upgrade', (_incoming: IncomingMessage, client: Duplex) => client.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // An open proxy must not keep the service from ending.
  server.unref()
  return {
    port: (server.address() as AddressInfo).port,
    takeRefusals: () => {
      const taken = [...refused.values()]
      refused.clear()
      return taken
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      closing ??= new Promise<void>((resolve) => server.close(() => resolve()))
      return closing
    },
  }
}

const unreachable: Pick<AppError, 'code' | 'hint'> = {
  code: 'net.unreachable',
  hint: 'The server is down, unknown, or refuses connections.',
}

function track(sockets: Set<Duplex>, socket: Duplex): void {
  sockets.add(socket)
  socket.once('close', () => sockets.delete(socket))
  // A peer that hangs up ends its own connection and nothing else.
  socket.on('error', () => socket.destroy())
}

/** CONNECT: for https, and for every WebSocket. */
async function tunnel(
  target: string,
  client: Duplex,
  head: Buffer,
  rule: EgressRule,
  note: (host: string, error: unknown) => string,
  keep: (socket: Socket) => void,
): Promise<void> {
  try {
    // WebSockets without TLS tunnel to port 80 too, so the port decides the scheme, not the other way.
    const { url, addresses } = await judgeUrl(
      `${target.endsWith(':80') ? 'http' : 'https'}://${target}/`,
      rule,
    )
    const upstream = connect({ ...dialled(url, addresses), timeout: IDLE_MS })
    keep(upstream)
    upstream.once('timeout', () => upstream.destroy())
    upstream.once('close', () => client.destroy())
    client.once('close', () => upstream.destroy())
    upstream.once('connect', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      if (head.length > 0) upstream.write(head)
      client.pipe(upstream).pipe(client)
    })
  } catch (error) {
    note(target, error)
    client.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
  }
}

/** Plain http, in absolute form. */
async function forward(
  incoming: IncomingMessage,
  response: ServerResponse,
  rule: EgressRule,
  note: (host: string, error: unknown) => string,
): Promise<void> {
  const text = incoming.url ?? ''
  const refuse = (status: number, error: unknown): void => {
    const body = note(URL.parse(text)?.host ?? text.slice(0, 200), error)
    if (response.headersSent) response.destroy()
    else response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(body)
  }
  try {
    const { url, addresses } = await judgeUrl(text, rule)
    const headers = Object.fromEntries(Object.entries(incoming.headers).filter(([name]) => !HOP.test(name)))
    const upstream = request(
      {
        ...dialled(url, addresses),
        method: incoming.method,
        path: `${url.pathname}${url.search}`,
        headers: { ...headers, host: url.host },
        agent: false,
        timeout: IDLE_MS,
      },
      (answer) => {
        const kept = Object.entries(answer.headers).filter(([name]) => !HOP.test(name))
        response.writeHead(answer.statusCode ?? 502, Object.fromEntries(kept))
        answer.pipe(response)
      },
    )
    upstream.once('timeout', () => upstream.destroy())
    upstream.once('error', (error) => refuse(502, error))
    response.once('close', () => upstream.destroy())
    incoming.pipe(upstream)
  } catch (error) {
    refuse(403, error)
  }
}

/** Connection options that can reach the judged addresses only. */
function dialled(
  url: URL,
  addresses: readonly string[],
): { host: string; port: number; lookup: LookupFunction; autoSelectFamily: true } {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }))
  const [first] = entries
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(portOf(url)),
    autoSelectFamily: true,
    lookup: (_name, options, done) => {
      if (options.all) done(null, entries)
      else done(null, first?.address ?? '', first?.family)
    },
  }
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80')
}
