import type { IncomingMessage } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { guarded, serve, textOf } from './servers.ts'

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

  it('N6: a proxy in the environment is not used', async () => {
    onTestFinished(() => void vi.unstubAllEnvs())
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
