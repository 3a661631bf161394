/** The whole product as `npm start` runs it, on a free port and with a data folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { launchChromium } from './chromium.ts'
import { buildServedPages } from './visitor.ts'

export interface Service {
  /** The address that the service printed when it started last. */
  readonly playgroundUrl: string
  /** Ends it and starts it again over the same data. */
  restart(): Promise<void>
  stop(): Promise<void>
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Starts it and waits for the printed address; `yaml` adds sections. Rejects with what it wrote when it ends before. */
export async function startService(yaml = ''): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'yizhan-browser-'))
  const config = join(folder, 'yizhan.yaml')
  await writeFile(config, `server: { port: 0 }\ndataDir: ${JSON.stringify(join(folder, 'data'))}\n${yaml}\n`)
  let child = spawnService(config)
  const stop = async (): Promise<void> => {
    await end(child)
    await rm(folder, { recursive: true, force: true })
  }
  try {
    let playgroundUrl = await printedUrl(child)
    return {
      get playgroundUrl() {
        return playgroundUrl
      },
      restart: async () => {
        await end(child)
        child = spawnService(config)
        playgroundUrl = await printedUrl(child)
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** A service and a browser for the tests of one `describe`, which calls this at its beginning. */
export function serviceInBrowser(): { readonly service: Service; readonly browser: Browser } {
  let service: Service
  let browser: Browser
  beforeAll(async () => {
    await buildServedPages()
    service = await startService()
    browser = await launchChromium()
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
  }, 60_000)
  return {
    get service() {
      return service
    },
    get browser() {
      return browser
    },
  }
}

function spawnService(config: string): ChildProcess {
  return spawn(process.execPath, ['src/start.js', 'serve', '--config', config], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  await ended
}

function printedUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const written: string[] = []
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue
      createInterface(stream).on('line', (line) => {
        written.push(line)
        const url = /(http:\/\/\S+\/playground\/)/.exec(line)?.[1]
        if (url) resolve(url)
      })
    }
    child.once('close', () => reject(new Error(`the service ended:\n${written.join('\n')}`)))
  })
}
