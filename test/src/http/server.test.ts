import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createHttpServer, HTTP_LIMITS, type HttpServerDeps } from '../../../src/http/server.ts'
import type { RawRequest } from '../../../src/protocol/adapter.ts'
import { createSystemClock } from '../../../src/system/clock.ts'
import { createCollectingLogger } from '../../support/logger.ts'

const SMALL_BODY_BYTES = 256 * 1024

const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function start(change: Partial<HttpServerDeps> = {}) {
  const seen: { botId: string; request: RawRequest }[] = []
  const logger = createCollectingLogger()
  const server = createHttpServer({
    webhooks: {
      limit: (botId) => (botId === 'ops' ? 1024 * 1024 : botId === 'oa' ? SMALL_BODY_BYTES : undefined),
      handle: async (botId, request) => {
        seen.push({ botId, request })
        return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"ok":true}' }
      },
    },
    health: { ready: async () => [{ check: 'database', ok: true, detail: '' }] },
    metrics: async () => ({ contentType: 'text/plain; version=0.0.4', text: 'up 1\n' }),
    mounts: [],
    clock: createSystemClock(),
    logger,
    ...change,
  })
  const { port, url } = await server.listen('127.0.0.1', 0)
  closers.push(() => server.close(100))
  return { server, port, url, seen, logger }
}

/** Writes raw bytes and returns everything that comes back until the socket closes. */
async function raw(port: number, ...pieces: (string | Buffer)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('error', () => {})
  await once(socket, 'connect')
  for (const piece of pieces) socket.write(piece)
  await once(socket, 'close')
  return Buffer.concat(chunks).toString()
}

describe('webhooks', () => {
  it('hands over the exact bytes, the path below the bot and the query', async () => {
    const { url, seen } = await start()
    const body = '{ "b" : 1,\n"a":"驿站" }'
    const answer = await fetch(`${url}/webhooks/ops/aibot?msg_signature=s%2B&nonce=1`, {
      method: 'POST',
      body,
      headers: { 'X-Lark-Signature': 'AB' },
    })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe('{"ok":true}')
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    const [first] = seen
    expect(first?.botId).toBe('ops')
    expect(first?.request.path).toBe('aibot')
    expect(first?.request.query.get('msg_signature')).toBe('s+')
    expect(first?.request.headers['x-lark-signature']).toBe('AB')
    expect(first?.request.body.toString()).toBe(body)
  })

  it('answers GET as platforms verify a URL with it', async () => {
    const { url, seen } = await start()
    expect((await fetch(`${url}/webhooks/oa/app?echostr=x`)).status).toBe(200)
    expect(seen[0]?.request).toMatchObject({ method: 'GET', path: 'app' })
    expect(seen[0]?.request.body.length).toBe(0)
  })

  it.each([
    ['an unknown bot', '/webhooks/none', 'POST', 404],
    ['an id that is none', '/webhooks/..%2Fops', 'POST', 404],
    ['no bot at all', '/webhooks/', 'POST', 404],
    ['another method', '/webhooks/ops', 'DELETE', 405],
  ])('refuses %s', async (_what, path, method, status) => {
    const { url, seen } = await start()
    expect((await fetch(`${url}${path}`, { method })).status).toBe(status)
    expect(seen).toEqual([])
  })

  it('W12: refuses a body that is announced too long before it is read', async () => {
    const { port, seen } = await start()
    const answer = await raw(port, 'POST /webhooks/oa HTTP/1.1\r\nhost: x\r\ncontent-length: 262145\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(answer.toLowerCase()).toContain('connection: close')
    expect(seen).toEqual([])
  })

  it('W12: takes a body of exactly the limit', async () => {
    const { url, seen } = await start()
    const answer = await fetch(`${url}/webhooks/oa`, {
      method: 'POST',
      body: Buffer.alloc(SMALL_BODY_BYTES, 97),
    })
    expect(answer.status).toBe(200)
    expect(seen[0]?.request.body.length).toBe(SMALL_BODY_BYTES)
  })

  it('W12: cuts chunks without end at the limit, keeps no memory and closes the socket', async () => {
    const { port, seen } = await start()
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    let answer = ''
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString()
    })
    await once(socket, 'connect')
    const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
    const before = process.memoryUsage().arrayBuffers
    socket.write('POST /webhooks/oa HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n')
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, 97), Buffer.from('\r\n')])
    const pour = (): void => {
      while (!socket.destroyed && socket.write(chunk)) {}
    }
    socket.on('drain', pour)
    pour()
    await closed
    expect(answer).toMatch(/^(HTTP\/1\.1 413 |$)/)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5 * 1024 * 1024)
    expect(seen).toEqual([])
  })

  it('W12: refuses compressed bodies', async () => {
    const { port, seen } = await start()
    const answer = await raw(
      port,
      'POST /webhooks/ops HTTP/1.1\r\nhost: x\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\n',
      Buffer.from([0x1f, 0x8b]),
    )
    expect(answer).toMatch(/^HTTP\/1\.1 415 /)
    expect(seen).toEqual([])
  })

  it('W12: a Content-Length larger than what comes ends with 408 and a closed socket', async () => {
    const { port, seen } = await start({ limits: { ...HTTP_LIMITS, headersMs: 100, requestMs: 200 } })
    const answer = await raw(
      port,
      'POST /webhooks/ops HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"half":',
    )
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
    expect(seen).toEqual([])
  })

  it('W12: a Content-Length shorter than what comes never joins the rest to the body', async () => {
    const { port, seen } = await start()
    const answer = await raw(
      port,
      'POST /webhooks/ops HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}SMUGGLED x\r\n\r\n',
    )
    expect(seen.map(({ request }) => request.body.toString())).toEqual(['{}'])
    expect(answer).toContain('400 Bad Request')
  })

  it('W18: a handler that throws is answered with 500, without telling why', async () => {
    const { url, logger } = await start({
      webhooks: {
        limit: () => 1024,
        handle: async () => {
          throw new Error('secret detail')
        },
      },
    })
    const answer = await fetch(`${url}/webhooks/ops`, { method: 'POST', body: '{}' })
    expect(answer.status).toBe(500)
    expect(await answer.text()).not.toContain('secret')
    expect(logger.lines.map(({ message }) => message)).toEqual(['webhook failed'])
  })

  it('a handler that never answers is given up', async () => {
    const { url } = await start({
      limits: { ...HTTP_LIMITS, requestMs: 150, headersMs: 100 },
      webhooks: { limit: () => 1024, handle: () => new Promise(() => {}) },
    })
    expect((await fetch(`${url}/webhooks/ops`, { method: 'POST', body: '{}' })).status).toBe(503)
  })
})

describe('W13: slow clients', () => {
  it('the limits are those of the requirement', () => {
    expect(HTTP_LIMITS).toEqual({ headersMs: 10_000, requestMs: 15_000, connections: 1_000 })
  })

  it('500 sockets that never finish their headers are closed; a good request is answered meanwhile', async () => {
    const { port, url } = await start({ limits: { headersMs: 1_500, requestMs: 2_000, connections: 1_000 } })
    const sockets: Socket[] = []
    for (let i = 0; i < 500; i++) {
      const socket = connect(port, '127.0.0.1', () => socket.write('POST /webhooks/ops HTTP/1.1\r\nx'))
      socket.on('error', () => {})
      socket.resume()
      sockets.push(socket)
    }
    await Promise.all(sockets.filter(({ connecting }) => connecting).map((socket) => once(socket, 'connect')))
    const began = performance.now()
    expect((await fetch(`${url}/webhooks/ops`, { method: 'POST', body: '{}' })).status).toBe(200)
    expect(performance.now() - began).toBeLessThan(1_000)
    await Promise.all(sockets.filter(({ closed }) => !closed).map((socket) => once(socket, 'close')))
    expect(sockets.every(({ destroyed }) => destroyed)).toBe(true)
  })

  it('more sockets than allowed are closed at once and logged', async () => {
    const { port, logger } = await start({ limits: { ...HTTP_LIMITS, connections: 2 } })
    const open = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
    await Promise.all(open.map((socket) => once(socket, 'connect')))
    const third = connect(port, '127.0.0.1')
    third.on('error', () => {})
    third.resume()
    await once(third, 'close')
    expect(logger.lines[0]?.message).toContain('too many sockets')
    for (const socket of open) socket.destroy()
  })
})

describe('health', () => {
  it('is alive, ready and measured', async () => {
    const { url } = await start()
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ alive: true })
    const ready = await fetch(`${url}/readyz`)
    expect(ready.status).toBe(200)
    expect(await (await fetch(`${url}/metrics`)).text()).toBe('up 1\n')
  })

  it('says what is missing when it is not ready', async () => {
    const checks = [{ check: 'bot ops', ok: false, detail: 'the socket is reconnecting' }]
    const { url } = await start({ health: { ready: async () => checks } })
    const answer = await fetch(`${url}/readyz`)
    expect(answer.status).toBe(503)
    expect(await answer.json()).toEqual({ ready: false, checks })
  })

  it('is not ready when a check throws', async () => {
    const { url } = await start({ health: { ready: () => Promise.reject(new Error('no database')) } })
    expect((await fetch(`${url}/readyz`)).status).toBe(503)
  })
})

describe('listening', () => {
  it('names the setting and the way to find the holder when the port is taken', async () => {
    const { port } = await start()
    const second = createHttpServer({
      webhooks: { limit: () => undefined, handle: async () => ({ status: 200 }) },
      health: { ready: async () => [] },
      metrics: async () => ({ contentType: 'text/plain', text: '' }),
      mounts: [],
      clock: createSystemClock(),
      logger: createCollectingLogger(),
    })
    const error = await second.listen('127.0.0.1', port).catch((e: unknown) => e)
    expect(error).toMatchObject({ code: 'http.port_in_use', params: { port } })
    expect(String(Object(error).hint)).toContain('server.port')
    expect(String(Object(error).hint)).toContain(`ss -ltnp 'sport = :${port}'`)
    await second.close()
  })

  it('says when the address is not of this machine', async () => {
    const server = createHttpServer({
      webhooks: { limit: () => undefined, handle: async () => ({ status: 200 }) },
      health: { ready: async () => [] },
      metrics: async () => ({ contentType: 'text/plain', text: '' }),
      mounts: [],
      clock: createSystemClock(),
      logger: createCollectingLogger(),
    })
    await expect(server.listen('192.0.2.1', 0)).rejects.toMatchObject({ code: 'http.address_unavailable' })
  })

  it('close lets a running request finish and refuses new ones', async () => {
    const gate = Promise.withResolvers<void>()
    const entered = Promise.withResolvers<void>()
    const { server, url } = await start({
      webhooks: {
        limit: () => 1024,
        handle: async () => {
          entered.resolve()
          await gate.promise
          return { status: 200, body: 'done' }
        },
      },
    })
    const running = fetch(`${url}/webhooks/ops`, { method: 'POST', body: '{}' })
    await entered.promise
    const closed = server.close(10_000)
    await expect(fetch(`${url}/healthz`)).rejects.toThrow()
    gate.resolve()
    expect(await (await running).text()).toBe('done')
    await closed
  })
})

describe('B2: browsers', () => {
  const mounts: HttpServerDeps['mounts'] = [
    {
      path: '/console',
      load: async () => (_request, response) => {
        response.setHeader('content-type', 'application/json')
        response.end('{}')
      },
    },
  ]

  /** `fetch` does not let a test set Host. */
  async function ask(port: number, method: string, headers: Record<string, string>): Promise<number> {
    const request = httpRequest({ port, host: '127.0.0.1', path: '/console', method, headers })
    request.end(method === 'POST' ? '{}' : undefined)
    const [response] = await once(request, 'response')
    response.resume()
    await once(response, 'end')
    return response.statusCode
  }

  it.each([
    ['localhost', 200],
    ['LOCALHOST:8787', 200],
    ['127.0.0.1:1', 200],
    ['[::1]:8787', 200],
    ['bot.example.com', 200],
    ['evil.example', 403],
    ['localhost.evil.example', 403],
    ['127.0.0.1.nip.io', 403],
    ['user@localhost', 403],
    ['192.168.1.7:8787', 403],
  ])('B2: Host %s gets %i', async (host, status) => {
    const { port } = await start({ mounts, publicUrl: 'https://bot.example.com' })
    expect(await ask(port, 'GET', { host })).toBe(status)
  })

  it.each([
    ['of the page itself', { host: 'localhost:8787', origin: 'http://localhost:8787' }, 200],
    ['of publicUrl behind a proxy', { host: '127.0.0.1:8787', origin: 'https://bot.example.com' }, 200],
    ['of another port of this machine', { host: 'localhost:8787', origin: 'http://localhost:3000' }, 403],
    ['of another site', { host: 'localhost:8787', origin: 'https://evil.example' }, 403],
    ['that is opaque', { host: 'localhost:8787', origin: 'null' }, 403],
    ['missing, but cross-site', { host: 'localhost:8787', 'sec-fetch-site': 'cross-site' }, 403],
    ['missing, as of a program', { host: 'localhost:8787' }, 200],
  ])('B2: a state change with an Origin %s', async (_what, headers, status) => {
    const { port } = await start({ mounts, publicUrl: 'https://bot.example.com' })
    expect(await ask(port, 'POST', { ...headers, 'content-type': 'application/json' })).toBe(status)
  })

  it.each([
    ['application/json', 200],
    ['application/json; charset=utf-8', 200],
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
    ['text/plain; application/json', 415],
  ])('B2: a body of type %s gets %i', async (type, status) => {
    const { port } = await start({ mounts })
    expect(await ask(port, 'POST', { host: 'localhost', 'content-type': type })).toBe(status)
  })

  it('W17: forwarded headers change nothing', async () => {
    const { port } = await start({ mounts })
    const headers = { host: 'evil.example', 'x-forwarded-host': 'localhost', 'x-forwarded-for': '127.0.0.1' }
    expect(await ask(port, 'GET', headers)).toBe(403)
  })

  it('B5: every page carries a policy without inline script, and no-store', async () => {
    const { url } = await start({ mounts })
    const { headers } = await fetch(`${url}/console`)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toContain('unsafe')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-powered-by')).toBeNull()
  })

  it('leads from the root to the home page', async () => {
    const { url } = await start({ mounts, home: '/console' })
    const answer = await fetch(url, { redirect: 'manual' })
    expect(answer.headers.get('location')).toBe('/console')
  })
})

it('a mount that cannot be loaded fails its requests but not the webhooks, and is tried again', async () => {
  let tries = 0
  const { url } = await start({
    mounts: [
      {
        path: '/console',
        load: async () => {
          tries += 1
          if (tries === 1) throw new Error('not built')
          return (_request, response) => void response.end('here')
        },
      },
    ],
  })
  expect((await fetch(`${url}/console`)).status).toBe(500)
  expect((await fetch(`${url}/webhooks/ops`, { method: 'POST', body: '{}' })).status).toBe(200)
  expect(await (await fetch(`${url}/console`)).text()).toBe('here')
})

it('speaks plainly to a client that is no HTTP client', async () => {
  const { port } = await start()
  expect(await raw(port, 'hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /)
})
