import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createGuardedFetch, type GuardedFetchDeps } from '../../../src/net/guarded-fetch.ts'
import { createManualClock } from '../../support/clock.ts'

const closers: (() => void)[] = []
afterEach(() => {
  vi.unstubAllEnvs()
  for (const close of closers.splice(0)) close()
})

async function serve(
  handler: RequestListener,
): Promise<{ port: number; server: Server; connections: () => number }> {
  let connections = 0
  const server = createServer({ maxHeaderSize: 1_000_000 }, handler)
  server.on('connection', () => connections++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: portOf(server), server, connections: () => connections }
}

async function serveRaw(onSocket: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = []
  const server = createTcpServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    onSocket(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return portOf(server)
}

function portOf(server: { address(): ReturnType<Server['address']> }): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

const guarded = (deps: Partial<GuardedFetchDeps> = {}) =>
  createGuardedFetch({ allow: [], clock: createManualClock(), ...deps })

const textOf = (body: Uint8Array): string => Buffer.from(body).toString('utf8')

describe('guarded fetch', () => {
  it('fetches an allowed private host with the given headers', async () => {
    const seen: IncomingMessage['headers'][] = []
    const { port } = await serve((request, response) => {
      seen.push(request.headers)
      response.setHeader('content-type', 'application/json').end('{"总额":12}')
    })

    const answer = await guarded({ allow: [`127.0.0.1:${port}`] })(`http://127.0.0.1:${port}/a?b=1`, {
      headers: { authorization: 'Bearer t' },
    })

    expect(answer).toMatchObject({ status: 200, hops: 0, finalUrl: `http://127.0.0.1:${port}/a?b=1` })
    expect(answer.headers['content-type']).toBe('application/json')
    expect(textOf(answer.body)).toBe('{"总额":12}')
    expect(seen[0]).toMatchObject({ authorization: 'Bearer t', host: `127.0.0.1:${port}` })
  })

  it.each([
    'http://127.0.0.1/',
    'http://localhost/',
    'http://LOCALHOST/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://127.0.0.1./',
    'http://127.0.0.1/',
    'http://①②⑦.⓪.⓪.①/',
    'http://127。0。0。1/',
    'http://%31%32%37.0.0.1/',
    'http://0/',
    'http://0.0.0.0/',
    'http://[::]/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[64:ff9b:1::1]/',
    'http://[2002:7f00:1::]/',
    'http://[fe80::1]/',
    'http://[fec0::1]/',
    'http://[fc00::1]/',
    'http://[fd00:ec2::254]/',
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://198.18.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/',
    'http://100.100.100.200/',
    'http://168.63.129.16/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://240.0.0.1/',
  ])('N1: %s is blocked when the connection would be made', async (url) => {
    await expect(guarded()(url)).rejects.toMatchObject({ code: 'net.blocked_address' })
  })

  it('N2: a dot at the end of a name changes nothing', async () => {
    const { port } = await serve((_, response) => response.end('ok'))
    const fetch = guarded({ allow: [`erp.example:${port}`], resolver: async () => ['127.0.0.1'] })

    await expect(fetch('http://localhost./')).rejects.toMatchObject({ code: 'net.blocked_address' })
    expect(textOf((await fetch(`http://erp.example.:${port}/`)).body)).toBe('ok')
  })

  it("N1: the machine's own public address is blocked, and a metadata address stays so when allowed", async () => {
    await expect(guarded({ own: () => ['8.8.4.4'] })('http://8.8.4.4/')).rejects.toMatchObject({
      code: 'net.blocked_address',
    })
    for (const host of ['169.254.169.254', '100.100.100.200', '168.63.129.16']) {
      await expect(guarded({ allow: [host] })(`http://${host}/`)).rejects.toMatchObject({
        code: 'net.blocked_address',
      })
    }
  })

  it('N2: a name with one private answer among public ones is not dialled at all', async () => {
    const { port, connections } = await serve((_, response) => response.end('secret'))
    const fetch = guarded({ resolver: async () => ['93.184.215.14', '127.0.0.1'] })

    await expect(fetch('http://rebind.example/')).rejects.toMatchObject({ code: 'net.blocked_address' })
    expect([port > 0, connections()]).toEqual([true, 0])
  })

  it('N2: one resolution for each connection, that address dialled, and Host keeps the name', async () => {
    const hosts: (string | undefined)[] = []
    const { port } = await serve((request, response) => {
      hosts.push(request.headers.host)
      response.end('ok')
    })
    const asked: string[] = []
    const answers = [['127.0.0.1'], ['169.254.169.254']]
    const fetch = guarded({
      allow: [`erp.example:${port}`],
      resolver: async (name) => {
        asked.push(name)
        return answers.shift() ?? []
      },
    })

    expect(textOf((await fetch(`http://erp.example:${port}/`)).body)).toBe('ok')
    expect([asked, hosts]).toEqual([['erp.example'], [`erp.example:${port}`]])
    await expect(fetch(`http://erp.example:${port}/`)).rejects.toMatchObject({ code: 'net.blocked_address' })
    await expect(fetch(`http://erp.example:${port}/`)).rejects.toMatchObject({ code: 'net.blocked_address' })
  })

  it.each([301, 302, 303, 307, 308])('N3: a %i to another origin drops every header', async (status) => {
    const seen: (string | undefined)[] = []
    const second = await serve((request, response) => {
      seen.push(request.headers.authorization, request.headers['x-key']?.toString())
      response.end('there')
    })
    const first = await serve((_, response) => {
      response.writeHead(status, { location: `http://127.0.0.1:${second.port}/b` }).end()
    })

    const answer = await guarded({ allow: [`127.0.0.1:${first.port}`, `127.0.0.1:${second.port}`] })(
      `http://127.0.0.1:${first.port}/`,
      { headers: { authorization: 'Bearer t', 'x-key': 'k' } },
    )

    expect(answer).toMatchObject({ hops: 1, finalUrl: `http://127.0.0.1:${second.port}/b` })
    expect(seen).toEqual([undefined, undefined])
  })

  it.each([
    ['http://169.254.169.254/', 'net.blocked_address'],
    ['http://[::ffff:127.0.0.1]/', 'net.blocked_address'],
    ['file:///etc/passwd', 'net.blocked_scheme'],
    ['ftp://example.com/', 'net.blocked_scheme'],
    ['data:text/plain,x', 'net.blocked_scheme'],
    ['gopher://example.com/', 'net.blocked_scheme'],
    ['http://example.com:22/', 'net.blocked_port'],
    ['http://user@example.com/', 'net.userinfo'],
    ['http://', 'net.bad_url'],
  ])('N3: a redirect to %s is refused', async (location, code) => {
    const { port } = await serve((_, response) => response.writeHead(302, { location }).end())

    await expect(
      guarded({ allow: [`127.0.0.1:${port}`] })(`http://127.0.0.1:${port}/`),
    ).rejects.toMatchObject({
      code,
    })
  })

  it('N3: five redirects are followed, six are not; a Refresh header or tag is only text', async () => {
    const { port } = await serve((request, response) => {
      const left = Number(request.url?.slice(1))
      if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end()
      else response.setHeader('refresh', '0;url=http://169.254.169.254/').end('<meta http-equiv=refresh>')
    })
    const fetch = guarded({ allow: [`127.0.0.1:${port}`] })

    expect(await fetch(`http://127.0.0.1:${port}/5`)).toMatchObject({ hops: 5, status: 200 })
    await expect(fetch(`http://127.0.0.1:${port}/6`)).rejects.toMatchObject({ code: 'net.redirects' })
  })

  it.each([
    ['ftp://example.com/', 'net.blocked_scheme'],
    ['javascript:alert(1)', 'net.blocked_scheme'],
    ['view-source:http://example.com', 'net.blocked_scheme'],
    ['http://example.com:8080/', 'net.blocked_port'],
    ['http://127.0.0.1:6379/', 'net.blocked_port'],
    ['http://user:pass@example.com/', 'net.userinfo'],
    ['http://a@127.0.0.1/', 'net.userinfo'],
    ['example.com', 'net.bad_url'],
    ['', 'net.bad_url'],
  ])('N4: %s is refused before anything is looked up', async (url, code) => {
    const resolver = vi.fn(async () => ['93.184.215.14'])

    await expect(guarded({ resolver })(url)).rejects.toMatchObject({ code })
    expect(resolver).not.toHaveBeenCalled()
  })

  it('N4: http://a\\@b goes to a, as parsed once', async () => {
    const resolver = vi.fn(async () => ['127.0.0.1'])

    await expect(guarded({ resolver })('http://a\\@b.example/')).rejects.toMatchObject({
      code: 'net.blocked_address',
    })
    expect(resolver.mock.calls).toEqual([['a']])
  })

  it('N4: an allowed host is allowed on its port only', async () => {
    const fetch = guarded({ allow: ['127.0.0.1:9999'] })

    await expect(fetch('http://127.0.0.1/')).rejects.toMatchObject({ code: 'net.blocked_address' })
    await expect(fetch('http://127.0.0.1:9998/')).rejects.toMatchObject({ code: 'net.blocked_port' })
  })

  it.each([
    ['gzip', gzipSync],
    ['br', (body: Buffer) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['zstd', zstdCompressSync],
  ])('N5: a %s bomb of 200 MB ends at the limit', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(200 * 1024 * 1024))
    const { port } = await serve((_, response) => {
      response.setHeader('content-encoding', encoding).end(bomb)
    })
    const before = process.memoryUsage().rss

    await expect(
      guarded({ allow: [`127.0.0.1:${port}`] })(`http://127.0.0.1:${port}/`),
    ).rejects.toMatchObject({
      code: 'net.too_large',
    })
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024)
  })

  it('N5: a body without end stops at the limit', async () => {
    const { port } = await serve((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 97)));
      }
      response.on('drain', more)
      more()
    })

    await expect(
      guarded({ allow: [`127.0.0.1:${port}`] })(`http://127.0.0.1:${port}/`, { maxBytes: 1_000_000 }),
    ).rejects.toMatchObject({ code: 'net.too_large' })
  })

  it('N5: silence of five seconds in a body ends the fetch', async () => {
    const clock = createManualClock()
    const { port } = await serve((_, response) => void response.write('a'))
    const fetching = guarded({ clock, allow: [`127.0.0.1:${port}`] })(`http://127.0.0.1:${port}/`)
    const ended = expect(fetching).rejects.toMatchObject({ code: 'net.timeout', retryable: true })
    // Total and idle timers: the headers and the first byte have arrived.
    await vi.waitFor(() => expect(clock.pending()).toBe(2), { timeout: 10_000 })

    await clock.advance(5_000)
    await ended
  })

  it('N5: a byte now and then ends at the total time, and so do early hints without end', async () => {
    const clock = createManualClock()
    let drip: (() => void) | undefined
    const port = await serveRaw((socket) => {
      drip = () => socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n')
      drip()
    })
    const fetching = guarded({ clock, allow: [`127.0.0.1:${port}`] })(`http://127.0.0.1:${port}/`)
    const ended = expect(fetching).rejects.toMatchObject({ code: 'net.timeout' })
    await vi.waitFor(() => expect(drip).toBeDefined(), { timeout: 10_000 })

    for (let second = 0; second < 20; second++) {
      drip?.()
      await clock.advance(1_000)
    }
    await ended
    expect(clock.pending()).toBe(0)
  })

  it('N5: a wrong Content-Length and a flood of headers are errors, not answers', async () => {
    const short = await serveRaw((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc'))
    const flood = await serveRaw((socket) => {
      socket.write(
        `HTTP/1.1 200 OK\r\n${Array.from({ length: 100_000 }, (_, i) => `X-${i}: a`).join('\r\n')}\r\n\r\n`,
      )
    })
    const fetch = guarded({ allow: [`127.0.0.1:${short}`, `127.0.0.1:${flood}`] })

    await expect(fetch(`http://127.0.0.1:${short}/`)).rejects.toMatchObject({ code: 'net.unreachable' })
    await expect(fetch(`http://127.0.0.1:${flood}/`)).rejects.toMatchObject({
      code: 'net.unreachable',
      params: { reason: 'UND_ERR_HEADERS_OVERFLOW' },
    })
  })

  it('N6: a proxy in the environment is not used', async () => {
    const proxy = await serve((_, response) => response.end('through the proxy'))
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'HTTPS_PROXY', 'https_proxy']) {
      vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`)
    }
    vi.stubEnv('NO_PROXY', '')
    vi.stubEnv('NODE_USE_ENV_PROXY', '1')

    await expect(guarded()('http://127.0.0.1/')).rejects.toMatchObject({ code: 'net.blocked_address' })
    expect(proxy.connections()).toBe(0)
  })

  it("rejects with the caller's reason when the caller gives up", async () => {
    const arrived = Promise.withResolvers<void>()
    const { port } = await serve(() => arrived.resolve())
    const caller = new AbortController()
    const fetching = guarded({ allow: [`127.0.0.1:${port}`] })(`http://127.0.0.1:${port}/`, {
      signal: caller.signal,
    })
    const ended = expect(fetching).rejects.toThrow('stopped by the person')
    await arrived.promise

    caller.abort(new Error('stopped by the person'))
    await ended
  })

  it('says that nobody answered, with the reason', async () => {
    const { port, server } = await serve(() => undefined)
    await new Promise((resolve) => server.close(resolve))

    await expect(
      guarded({ allow: [`127.0.0.1:${port}`] })(`http://127.0.0.1:${port}/`),
    ).rejects.toMatchObject({
      code: 'net.unreachable',
      retryable: true,
      params: { reason: 'ECONNREFUSED' },
    })
  })
})
