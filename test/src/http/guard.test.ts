import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { HttpServerDeps } from '../../../src/http/server.ts'
import { start } from './listening.ts'

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
