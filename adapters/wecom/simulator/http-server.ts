/** The HTTP side: `/cgi-bin/*` with errcode JSON, and the media host. Knows routes, tokens and faults, no business. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type ApiCall, type Download, isDownload, jsonOf, type Routes } from './api.ts'
import { MINUTE_MS } from './rates.ts'
import { refuse } from './refusal.ts'
import type { Tokens } from './tokens.ts'
import type { World } from './world.ts'

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

/** Names the download both ways, as the media host does. */
const disposition = (name: string): string =>
  `attachment; filename="${encodeURIComponent(name)}"; filename*=UTF-8''${encodeURIComponent(name)}`

function sendDownload(response: ServerResponse, file: Download): void {
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-disposition': disposition(file.name),
    'content-length': file.bytes.length,
  })
  response.end(file.bytes)
}

export function createApi({ world, tokens, routes }: Deps) {
  const invoke = (name: string, method: string, call: ApiCall): object | Download => {
    const route = routes[name]
    if (!route) throw refuse(40058, `no such interface: ${name}`)
    if (route.method !== method) throw refuse(40058, `${route.method} is required`)
    const app = route.access === 'app' ? tokens.check(call.query.get('access_token')) : undefined
    const fault = world.faults.take(name, 'request')
    if (fault?.effect === 'error') throw refuse(fault.errcode, fault.errmsg)
    const rule = { windowMs: MINUTE_MS, max: route.perMinute ?? 10_000, blocks: true }
    if (!world.rates.hit(`api:${name}`, [rule])) throw refuse(45009)
    if (route.access === 'open') return route.run(call)
    if (!app) throw refuse(41001)
    return route.run(call, app)
  }

  const answer = (response: ServerResponse, name: string, result: object | Download): void => {
    const send = (): void => {
      if (isDownload(result)) {
        sendDownload(response, result)
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

  const handleApi = async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    const name = url.pathname.slice('/cgi-bin/'.length)
    const raw = await readBody(request)
    const query = Object.fromEntries(url.searchParams)
    const isJson = raw.length > 0 && raw[0] === 0x7b
    const shown = isJson ? jsonOf(raw) : raw.length > 0 ? `<${raw.length} bytes>` : undefined
    const close = world.journal.open({
      channel: 'http-in',
      name,
      request: shown === undefined ? { query } : { query, body: shown },
    })
    const status = world.faults.take(name, 'gateway')
    if (status?.effect === 'status') {
      close('fault', status.status)
      response.writeHead(status.status, { 'content-type': 'text/html' }).end('<html>gateway error</html>')
      return
    }
    try {
      const call = { query: url.searchParams, headers: request.headers, raw, json: () => jsonOf(raw) }
      const result = invoke(name, request.method ?? 'GET', call)
      close(isDownload(result) ? `<${result.bytes.length} bytes>` : result, 0)
      answer(response, name, isDownload(result) ? result : { errcode: 0, errmsg: 'ok', ...result })
    } catch (error) {
      const verdict = world.verdict(error)
      close(verdict, verdict.errcode)
      answer(response, name, verdict)
    }
  }

  const handleMedia = (response: ServerResponse, id: string): void => {
    const blob = world.media.blob(id)
    const fault = world.faults.take('media', 'answer')
    world.journal.open({ channel: 'http-in', name: 'media', request: id })(
      blob ? 'found' : 'gone',
      blob ? 0 : 403,
    )
    if (!blob) {
      response.writeHead(403, { 'content-type': 'text/plain' }).end('url expired')
      return
    }
    const bytes = Buffer.from(blob.sealed)
    if (fault?.effect === 'corrupt') {
      // In CBC this flips the top bit of the last plaintext byte, so the padding length leaves 1..32 for certain.
      const at = bytes.length - 17
      bytes[at] = (bytes[at] ?? 0) ^ 0x80
    }
    sendDownload(response, { name: blob.name, bytes })
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', world.baseUrl)
    if (url.pathname.startsWith('/cgi-bin/')) return handleApi(request, response, url)
    if (url.pathname.startsWith('/media/')) return handleMedia(response, url.pathname.slice('/media/'.length))
    response.writeHead(404).end()
  }

  return (request: IncomingMessage, response: ServerResponse): void => {
    handle(request, response).catch((error: unknown) => {
      world.logger.error(
        { error: error instanceof Error ? error.message : String(error) },
        'simulator failed',
      )
      response.destroy()
    })
  }
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
