/** The HTTP side: `/cgi-bin/*` with errcode JSON, and the media host. Knows routes, tokens and faults, no business. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { type ApiCall, isDownload, jsonOf, type Routes } from './api.ts'
import { sendDownload, serveMedia } from './download.ts'
import { MINUTE_MS } from './rates.ts'
import { refuse } from './refusal.ts'
import type { Tokens } from './tokens.ts'
import type { World } from './world.ts'

/** Per interface and corp (doc 90312). */
const CALLS_PER_MINUTE = 10_000
const BODY_MAX = 32 * 1024 * 1024

interface Deps {
  world: World
  tokens: Tokens
  routes: Routes
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request) {
    size += part.length
    if (size > BODY_MAX) throw refuse(45001)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

export function createApi(deps: Deps): RequestListener {
  return (request, response) => {
    handle(deps, request, response).catch((error: unknown) => {
      const text = error instanceof Error ? error.message : String(error)
      deps.world.logger.error({ error: text }, 'simulator failed')
      response.destroy()
    })
  }
}

async function handle(deps: Deps, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', deps.world.baseUrl)
  if (url.pathname.startsWith('/cgi-bin/')) return handleApi(deps, request, response, url)
  if (url.pathname.startsWith('/media/')) {
    serveMedia(deps.world, response, url.pathname.slice('/media/'.length), request.headers.range)
    return
  }
  response.writeHead(404).end()
}

async function handleApi(
  deps: Deps,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const { world } = deps
  const name = url.pathname.slice('/cgi-bin/'.length)
  const raw = await readBody(request)
  const query = Object.fromEntries(url.searchParams)
  const close = world.journal.open({ channel: 'http-in', name, request: { query, ...shownBody(raw) } })
  const gateway = world.faults.take(name, 'gateway')
  if (gateway?.effect === 'status') {
    close('fault', gateway.status)
    response.writeHead(gateway.status, { 'content-type': 'text/html' }).end('<html>gateway error</html>')
    return
  }
  try {
    const call = { query: url.searchParams, headers: request.headers, raw, json: () => jsonOf(raw) }
    const result = invoke(deps, name, request.method ?? 'GET', call)
    close(isDownload(result) ? `<${result.bytes.length} bytes>` : result, 0)
    const whole = isDownload(result) ? result : { errcode: 0, errmsg: 'ok', ...result }
    answer(world, response, name, whole, request.headers.range)
  } catch (error) {
    const verdict = world.verdict(error)
    close(verdict, verdict.errcode)
    answer(world, response, name, verdict)
  }
}

/** The body for the journal: JSON as it is, anything else by its size. */
function shownBody(raw: Buffer): { body?: unknown } {
  if (raw.length === 0) return {}
  try {
    return { body: JSON.parse(raw.toString('utf8')) }
  } catch {
    // A multipart upload or a broken body; the route itself judges it.
    return { body: `<${raw.length} bytes>` }
  }
}

function invoke({ world, tokens, routes }: Deps, name: string, method: string, call: ApiCall): object {
  const route = routes[name]
  if (!route) throw refuse(40058, `no such interface: ${name}`)
  if (route.method !== method) throw refuse(40058, `${route.method} is required`)
  const app = route.access === 'app' ? tokens.check(call.query.get('access_token')) : undefined
  const fault = world.faults.take(name, 'request')
  if (fault?.effect === 'error') throw refuse(fault.errcode, fault.errmsg)
  const rule = { windowMs: MINUTE_MS, max: route.perMinute ?? CALLS_PER_MINUTE, blocks: true }
  if (!world.rates.hit(`api:${name}`, [rule])) throw refuse(45009)
  if (route.access === 'open') return route.run(call)
  if (!app) throw refuse(41001)
  return route.run(call, app)
}

/** Answers now, later or never, as the next fault of this name says. */
function answer(world: World, response: ServerResponse, name: string, result: object, range?: string): void {
  const send = (): void => {
    if (isDownload(result)) {
      sendDownload(response, result, { range, isCut: fault?.effect === 'cut' })
      return
    }
    response.writeHead(200, { 'content-type': 'application/json; charset=UTF-8' })
    response.end(JSON.stringify(result))
  }
  const fault = world.faults.take(name, 'answer')
  if (fault?.effect === 'drop') response.destroy()
  else if (fault?.effect === 'delay') world.clock.after(fault.ms, send)
  else send()
}

/** Listens on loopback; resolves with the port. */
export function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}
