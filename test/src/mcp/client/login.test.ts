import { expect, it } from 'vitest'
import { createLogin } from '../../../../src/mcp/client/login.ts'
import { createRemoteTransport } from '../../../../src/mcp/client/remote-transport.ts'

const login = (opened: string[] = []) => {
  let kept: string | undefined
  return createLogin({
    ...{ redirectUrl: 'https://bot.example.com/mcp/login', clientName: 'Yizhan', state: () => 's' },
    load: async () => kept,
    save: async (data) => {
      kept = data
    },
    onPersonNeeded: (url) => void opened.push(url.href),
  })
}

it.each([
  'javascript:alert(1)',
  'http://login.example.com/authorize',
  'file:///etc/passwd',
  'data:text/html,x',
])('M9: nobody is sent to %s for a login', async (address) => {
  const opened: string[] = []
  await expect((await login(opened)).redirectToAuthorization(new URL(address))).rejects.toMatchObject({
    code: 'mcp.login_refused',
  })
  expect(opened).toEqual([])
})

it('M9: addresses that a server names for its login are fetched by the guarded way alone', async () => {
  const [own, guarded]: [string[], string[]] = [[], []]
  const transport = await createRemoteTransport(
    { kind: 'http', url: 'https://mcp.example.com/mcp', headers: { 'X-Team': 'ops' } },
    {
      login: await login(),
      ownFetch: async (url) => {
        own.push(String(url))
        const headers = {
          'www-authenticate': 'Bearer resource_metadata="http://169.254.169.254/latest/meta-data"',
        }
        return new Response('', { status: 401, headers })
      },
      publicFetch: async (url, init) => {
        guarded.push(`${url} ${JSON.stringify(new Headers(init?.headers).get('x-team'))}`)
        throw new Error('refused: not a public address')
      },
    },
  )
  await transport.start()
  await expect(transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' })).rejects.toThrow()
  expect(own.every((url) => new URL(url).origin === 'https://mcp.example.com')).toBe(true)
  expect(guarded).toContain('http://169.254.169.254/latest/meta-data null')
})
