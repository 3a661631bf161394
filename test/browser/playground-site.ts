/** The built page behind the real HTTP server, over scripted platforms. */
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { createPlayground } from '../../src/console/playground.ts'
import { createHttpServer } from '../../src/http/server.ts'
import type { PlaygroundBackend, PlaygroundMcpServer, PlaygroundRun } from '../../src/protocol/playground.ts'
import { createSystemClock } from '../../src/system/clock.ts'
import { createCollectingLogger } from '../support/logger.ts'

export const MCP_SERVERS: readonly PlaygroundMcpServer[] = [
  {
    name: 'notes',
    origin: 'yizhan.yaml',
    shown: 'node notes.js',
    state: 'ready',
    why: '',
    tools: [{ name: 'mcp__notes__read', state: 'agreed', words: '{"description":"Reads a note."}' }],
  },
]

export interface Site {
  readonly url: string
  readonly port: number
  /** What the MCP pane shows from now on. */
  setMcp(servers: readonly PlaygroundMcpServer[]): void
  /** What the steps pane shows from now on. */
  setRuns(runs: readonly PlaygroundRun[]): void
  close(): Promise<void>
}

/** Builds the page from its sources, as `npm ci` does, into a folder of its own. */
export async function buildPages(): Promise<string> {
  const configFile = fileURLToPath(new URL('../../src/console/vite.config.ts', import.meta.url))
  const outDir = await mkdtemp(join(tmpdir(), 'yizhan-pages-'))
  await build({ configFile, logLevel: 'warn', build: { outDir } })
  return outDir
}

/** Serves the playground built in `pages` on a loopback port, a free one when none is given. */
export async function serveSite(
  pages: string,
  backends: readonly PlaygroundBackend[],
  wanted = 0,
): Promise<Site> {
  const clock = createSystemClock()
  const logger = createCollectingLogger()
  let runs: readonly PlaygroundRun[] = []
  let servers = MCP_SERVERS
  let tell = (): void => {}
  const server = createHttpServer({
    webhooks: { limit: () => undefined, handle: async () => ({ status: 404 }) },
    health: { ready: async () => [] },
    metrics: async () => ({ contentType: 'text/plain', text: '' }),
    mounts: [
      {
        path: '/playground',
        load: async ({ closing }) =>
          createPlayground({
            backends,
            notBuilt: 'npm run build',
            mcp: {
              list: () => servers,
              problems: () => [],
              onChange: (listener) => {
                tell = listener
                return () => {}
              },
            },
            runs: async (key) => (key === 'ops/oc_ops' ? runs : []),
            about: { version: '0.1.0', model: 'demo', demo: true },
            locale: 'zh-CN',
            clock,
            logger,
            closing,
            pages,
          }),
      },
    ],
    home: '/playground/',
    clock,
    logger,
  })
  const { url, port } = await server.listen('127.0.0.1', wanted)
  return {
    url,
    port,
    setMcp: (next) => {
      servers = next
      tell()
    },
    setRuns: (next) => {
      runs = next
    },
    close: () => server.close(200),
  }
}
