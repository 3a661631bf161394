import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type Egress, type EgressRule, openEgress } from '../../../src/browser/egress.ts'
import { openSite } from '../tools/browser/stage.ts'

let egress: Egress
afterEach(() => egress?.close())

const open = async (rule: EgressRule): Promise<void> => {
  egress = await openEgress(rule)
}

/** Everything the proxy answers to raw bytes. */
async function ask(bytes: string): Promise<string> {
  const socket = connect(egress.port, '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk
  })
  socket.write(bytes)
  await once(socket, 'close')
  return answer
}

const get = (url: string): string => `GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`

describe('egress', () => {
  it('hands a request on to an allowed host, with its own Host header and nothing of the proxy’s', async () => {
    const site = await openSite((request, response) =>
      response.end(JSON.stringify({ ...request.headers, path: request.url })),
    )
    await open({ allow: [`127.0.0.1:${site.port}`] })
    const answer = await ask(
      `GET ${site.url}/a?b=1 HTTP/1.1\r\nHost: other\r\nProxy-Authorization: Basic eA==\r\nX-Own: 1\r\nConnection: close\r\n\r\n`,
    )
    expect(answer).toContain('HTTP/1.1 200')
    const body = JSON.parse(/\{.*\}/.exec(answer)?.[0] ?? '') as Record<string, string>
    expect(body).toEqual({
      host: `127.0.0.1:${site.port}`,
      'x-own': '1',
      path: '/a?b=1',
      connection: expect.any(String),
    })
    await site.close()
  })

  it('tunnels to an allowed host, and to no other port of it', async () => {
    const site = await openSite((_request, response) => response.end('ok'))
    await open({ allow: [`127.0.0.1:${site.port}`] })
    const through = await ask(`CONNECT 127.0.0.1:${site.port} HTTP/1.1\r\nHost: x\r\n\r\n${get('/')}`)
    expect(through).toContain('200 Connection Established')
    expect(through.endsWith('ok') || through.includes('\r\n\r\n2\r\nok')).toBe(true)
    expect(await ask('CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: x\r\n\r\n')).toContain('403')
    expect(egress.takeRefusals()).toMatchObject([{ host: '127.0.0.1:22', code: 'net.blocked_port' }])
    expect(egress.takeRefusals()).toEqual([])
    await site.close()
  })

  it('N2: a name that resolves to public and private at once is refused', async () => {
    await open({ allow: [], resolver: async () => ['93.184.216.34', '127.0.0.1'] })
    expect(await ask(get('http://rebind.example/'))).toContain('403')
    expect(await ask('CONNECT rebind.example:443 HTTP/1.1\r\nHost: x\r\n\r\n')).toContain('403')
    expect(egress.takeRefusals().map((one) => one.code)).toEqual([
      'net.blocked_address',
      'net.blocked_address',
    ])
  })

  it('N2: one resolution per connection, and exactly its address is dialled', async () => {
    const site = await openSite((_request, response) => response.end('the allowed one'))
    let asked = 0
    await open({
      allow: [`inner.example:${site.port}`],
      resolver: async () => [++asked === 1 ? '127.0.0.1' : '169.254.169.254'],
    })
    expect(await ask(get(`http://inner.example:${site.port}/`))).toContain('the allowed one')
    expect(asked).toBe(1)
    expect(await ask(get(`http://inner.example:${site.port}/`))).toContain('403')
    await site.close()
  })

  it.each([
    'file:///etc/passwd',
    'ftp://example.com/',
    '/local/path',
    'http://user:pw@example.com/',
    'gopher://x/',
  ])('N3/N4: refuses %s', async (url) => {
    await open({ allow: [], resolver: async () => ['93.184.216.34'] })
    expect(await ask(get(url))).toMatch(/^HTTP\/1\.1 40[03]/)
  })

  it.each([
    ['a NUL in the name', 'inner.example\u0000.evil.example:443'],
    ['somebody before the name', 'inner.example:443@evil.example:443'],
    ['a name that only begins like it', 'inner.example.evil.example:443'],
    ['an address in other figures', '2130706433:443'],
    ['an address in full-width figures', '１２７.0.0.1:443'],
    ['no port', 'evil.example'],
  ])('S19: an allowed name is not lent to another host by %s', async (_what, target) => {
    const asked: string[] = []
    await open({
      allow: ['inner.example:443'],
      resolver: async (name) => {
        asked.push(name)
        return ['127.0.0.1']
      },
    })
    expect(await ask(`CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`)).not.toContain('200')
    expect(asked).not.toContain('inner.example')
  })

  it.each(['inner.example.', 'INNER.example', 'ＩＮＮＥＲ.example', 'inner。example'])(
    'S19: however %s is spelt, it is judged by its address',
    async (name) => {
      const site = await openSite((_request, response) => response.end('the inner one'))
      await open({ allow: [], resolver: async () => ['127.0.0.1'] })
      const through = await ask(`CONNECT ${name}:${site.port} HTTP/1.1\r\nHost: x\r\n\r\n${get('/')}`)
      expect(through).toMatch(/^HTTP\/1\.1 40[03]/)
      expect(through).not.toContain('the inner one')
      await site.close()
    },
  )

  it('a host that does not answer is a 502, and no news', async () => {
    const site = await openSite(() => undefined)
    await site.close()
    await open({ allow: [`127.0.0.1:${site.port}`] })
    expect(await ask(get(`${site.url}/`))).toContain('502')
    expect(egress.takeRefusals()).toEqual([])
  })
})
