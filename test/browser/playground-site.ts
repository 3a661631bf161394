/** The built page behind the real HTTP server, over scripted platforms. */
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { createPlayground } from '../../src/console/playground.ts'
import { createHttpServer } from '../../src/http/server.ts'
import type { PlaygroundBackend, PlaygroundRun } from '../../src/protocol/playground.ts'
import { createSystemClock } from '../../src/system/clock.ts'
import { createCollectingLogger } from '../support/logger.ts'

export interface Site {
  readonly url: string
  readonly port: number
  /** What the steps pane shows from now on. */
  setRuns(runs: readonly PlaygroundRun[]): void
  close(): Promise<void>
}

/** Builds the page from its sources, as `npm ci` does. */
export async function buildPages(): Promise<void> {
  const configFile = fileURLToPath(new URL('../../src/console/vite.config.ts', import.meta.url))
  await build({ configFile, logLevel: 'warn' })
}

/** Serves the playground on a loopback port, a free one when none is given. */
export async function serveSite(backends: readonly PlaygroundBackend[], wanted = 0): Promise<Site> {
  const clock = createSystemClock()
  const logger = createCollectingLogger()
  let runs: readonly PlaygroundRun[] = []
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
            runs: async (key) => (key === 'ops/oc_ops' ? runs : []),
            about: { version: '0.1.0', model: 'demo', demo: true },
            locale: 'zh-CN',
            clock,
            logger,
            closing,
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
    setRuns: (next) => {
      runs = next
    },
    close: () => server.close(200),
  }
}
