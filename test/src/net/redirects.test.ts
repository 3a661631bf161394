import { describe, expect, it, vi } from 'vitest'
import { guarded, serve } from './servers.ts'

describe('guarded fetch', () => {
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
})
