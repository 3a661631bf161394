/**
 * Every route that the whole service has, asked by somebody without a token, by the playground's own
 * configuration (the widest there is) and by one with real tenants. What answers is a list in this file.
 */
import { mkdtempSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type App, startApp } from '../../../src/app.ts'
import { parseConfig } from '../../../src/config/load.ts'
import { createSystemClock } from '../../../src/system/clock.ts'
import { createSystemRandom } from '../../../src/system/random.ts'
import { createCollectingLogger } from '../../support/logger.ts'

let app: App | undefined
let logger: ReturnType<typeof createCollectingLogger>
afterEach(async () => {
  await app?.stop(0)
  app = undefined
})

async function start(yaml: string, host = '127.0.0.1'): Promise<string> {
  logger = createCollectingLogger()
  const dataDir = mkdtempSync(join(tmpdir(), 'yizhan-routes-'))
  const loaded = parseConfig(`server: { port: 0, host: ${host} }\ndataDir: ${dataDir}\n${yaml}`, {
    file: 'x.yaml',
    env: {},
  })
  const clock = createSystemClock()
  const rest = { clock, random: createSystemRandom(), logger }
  app = await startApp({ loaded, ...rest, pid: process.pid, version: '0', demoPieceMs: 0 })
  return app.listening.url
}

const REAL = `
bots: [{ id: oa, platform: wecom, groupRobots: { finance: "0123456789" } }]
mcp: { serve: { callers: [{ name: laptop, token: a-token-of-some-length, tools: [workstation] }] } }
`

/** Status of one request without any credentials; bodies and streams are not waited for. */
function ask(url: string, method: string, path: string, headers: object = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${url}${path}`, { method, headers: { ...headers } }, (response) => {
      resolve(response.statusCode ?? 0)
      request.destroy()
    })
    request.on('error', reject)
    request.end()
  })
}

/** Guesses at what somebody may have left open, beside the paths that exist. */
const PATHS = [
  ...['/', '/healthz', '/readyz', '/metrics', '/mcp', '/mcp/', '/mcp/login', '/mcp/client.json', '/mcp/x'],
  ...[
    '/playground',
    '/playground/',
    '/playground/index.html',
    '/playground/api/state',
    '/playground/api/mcp',
  ],
  ...[
    '/playground/api/events',
    '/playground/api/messages',
    '/playground/api/runs',
    '/playground/api/actions',
  ],
  ...['/playground/api/uploads', '/playground/api/traffic', '/playground/api/traffic/feishu/none'],
  ...['/playground/api/files/feishu/1', '/console', '/console/', '/console/api/state', '/api', '/admin'],
  ...['/webhooks', '/webhooks/', '/webhooks/oa', '/webhooks/oa/app', '/webhooks/ops', '/webhooks/nobody'],
  ...['/debug', '/config', '/yizhan.yaml', '/.env', '/data/yizhan.db', '/..%2fyizhan.yaml', '/workspaces'],
]
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

async function openRoutes(url: string): Promise<string[]> {
  const open: string[] = []
  for (const path of PATHS)
    for (const method of METHODS) {
      const status = await ask(url, method, path)
      // A redirect opens nothing; that the service is not ready is an answer all the same.
      if (status < 300 || (path === '/readyz' && status === 503)) open.push(`${method} ${path}`)
    }
  return open
}

describe('B6: routes that need no token', () => {
  it('of a service with real tenants: three that tell its health, and the description of its MCP client', async () => {
    expect(await openRoutes(await start(REAL))).toEqual([
      'GET /healthz',
      'GET /readyz',
      'GET /metrics',
      'GET /mcp/client.json',
    ])
  }, 60_000)

  it('of the playground: its page and its own API besides, and nothing that writes without a body', async () => {
    expect(await openRoutes(await start(''))).toEqual([
      'GET /healthz',
      'GET /readyz',
      'GET /metrics',
      'GET /mcp/client.json',
      'GET /playground/',
      'GET /playground/index.html',
      'GET /playground/api/state',
      'GET /playground/api/mcp',
      'GET /playground/api/events',
    ])
  }, 60_000)
})

describe('B8: being local is no authority', () => {
  it('a request that a proxy hands on is refused by pages without a login, whatever Host the proxy writes', async () => {
    const url = await start('')
    for (const name of ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']) {
      expect(await ask(url, 'GET', '/playground/api/state', { [name]: '203.0.113.9' })).toBe(403)
      expect(await ask(url, 'GET', '/playground/', { [name]: '203.0.113.9' })).toBe(403)
    }
    expect(await ask(url, 'GET', '/playground/api/state')).toBe(200)
  }, 60_000)

  it('local clients of MCP need their token like everybody else', async () => {
    expect(await ask(await start(REAL), 'POST', '/mcp')).toBe(401)
  }, 60_000)

  it('the start says so when other machines reach pages without a login', async () => {
    await start('', '0.0.0.0')
    expect(logger.lines.map(({ message }) => message)).toContain(
      'the playground has no login, and other machines can reach it',
    )
  }, 60_000)
})
