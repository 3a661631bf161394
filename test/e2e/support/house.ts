/** A whole service against a simulated company, in this process: nothing inside is replaced. */
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type App, startApp } from '../../../src/app.ts'
import { parseConfig } from '../../../src/config/load.ts'
import type { McpSurroundings } from '../../../src/house/mcp.ts'
import type { Clock } from '../../../src/protocol/ports.ts'
import type { RunRow } from '../../../src/store/schema.ts'
import { createSystemRandom } from '../../../src/system/random.ts'
import { type CollectedLine, createCollectingLogger } from '../../support/logger.ts'
import { type Company, until } from './company.ts'

export interface HouseOptions {
  /** YAML below the `bots` section: models, approval, … */
  readonly yaml?: string | ((company: Company) => string)
  readonly env?: Record<string, string>
  /** Files beside the configuration that name MCP servers; default: none are looked at. */
  readonly surroundings?: McpSurroundings
  /** The `server` section, flow style; default: any free port. */
  readonly server?: string
}

/** The running service; joined with its company by the houses of the platforms. */
export interface Service {
  readonly app: App
  readonly dataDir: string
  readonly lines: readonly CollectedLine[]
  /** Every run so far, oldest first. */
  runs(): Promise<RunRow[]>
  /** How often commands of the form `echo x >> count.txt` ran, over all workspaces. */
  timesRun(): number
  /** Resolves with the first truthy value of `probe`, looked at after every change; rejects after `ms`. */
  until<T>(probe: () => T | undefined | false, what: string, ms?: number): Promise<T>
  /** Stops the service and starts it again on the same data. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export type House<C extends Company = Company> = C & Service

/** The configuration file of a service in front of a company. */
export function configText(company: Company, dataDir: string, yaml = '', server = '{ port: 0 }'): string {
  return `
server: ${server}
dataDir: ${dataDir}
bots:
  - ${company.botYaml}
access: { admins: ["${company.people.admin.key}"] }
${yaml}
`
}

/** Starts the service; the company is stopped with it. */
export async function openHouse<C extends Company>(
  company: C,
  clock: Clock,
  options: HouseOptions = {},
): Promise<House<C>> {
  const logger = createCollectingLogger()
  const dataDir = mkdtempSync(join(tmpdir(), 'yizhan-house-'))
  const yaml = typeof options.yaml === 'function' ? options.yaml(company) : options.yaml
  const loaded = parseConfig(configText(company, dataDir, yaml, options.server), {
    file: 'house.yaml',
    env: options.env ?? {},
  })
  const random = createSystemRandom()
  const start = (): Promise<App> =>
    startApp({
      ...{ loaded, clock, random, logger, pid: process.pid, version: '0.0.0', demoPieceMs: 0 },
      ...(options.surroundings ? { surroundings: options.surroundings } : {}),
    })
  let app = await start()
  const service: Service = {
    get app() {
      return app
    },
    dataDir,
    lines: logger.lines,
    runs: () => app.store.db.selectFrom('runs').selectAll().orderBy('started_at').execute(),
    timesRun: () => timesRun(dataDir),
    until: (probe, what, ms) =>
      until(company, probe, () => `${what}\n${describe(company, logger.lines)}`, ms),
    restart: async () => {
      await app.stop(0)
      app = await start()
    },
    stop: async () => {
      await app.stop(0)
      await company.stop()
    },
  }
  return Object.defineProperties({ ...company }, Object.getOwnPropertyDescriptors(service)) as House<C>
}

/** Lines of `count.txt` over all workspaces. */
export function timesRun(dataDir: string): number {
  const root = join(dataDir, 'workspaces')
  return readdirSync(root)
    .map((name) => join(root, name, 'count.txt'))
    .filter((file) => existsSync(file))
    .reduce((sum, file) => sum + readFileSync(file, 'utf8').split('\n').filter(Boolean).length, 0)
}

function describe(company: Company, lines: readonly CollectedLine[]): string {
  const messages = company
    .chats()
    .flatMap((chat) => company.shown(chat))
    .map((message) => `  ${message.finished ? ' ' : '…'} ${message.text.slice(0, 300)}`)
  const trouble = lines.filter((line) => line.level === 'warn' || line.level === 'error').slice(-8)
  const words = trouble.map(({ level, message, fields }) => {
    const error = fields['error']
    return `  ${level} ${message} ${error instanceof Error ? error.stack : JSON.stringify(fields)}`
  })
  return [...messages, ...words].join('\n')
}
